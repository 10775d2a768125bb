package settings_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

type pigment int

func (c pigment) String() string { return enum.Name("pigment", int(c), "Red", "Green", "Blue") }

type embedded struct{ Workers int }

type paint struct {
	Count   int     `zero:"all"`
	Bytes   int64   `zero:"8 GiB"`
	Folds   int     `zero:"5" least:"2"`
	Starts  int     `zero:"3" most:"3"`
	Ridge   float64 `zero:"the choice by leave-one-out"`
	Level   float64 `zero:"0.05" below:"1"`
	Share   float64 `zero:"all" most:"1"`
	Workers int
	Colour  pigment
	Kernel  kernels.Kernel
	Offset  float64 // unrestricted
	Seed    uint64
	hidden  pigment
	embedded
}

func TestCheck(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for want, wrong := range map[string][]paint{
		"paint: Count = -1, want >= 1, or 0 for all":                   {{Count: -1}},
		"paint: Bytes = -5, want >= 1, or 0 for 8 GiB":                 {{Bytes: -5}},
		"paint: Folds = 1, want >= 2, or 0 for 5":                      {{Folds: 1}},
		"paint: Starts = 4, want 1 to 3, or 0 for 3":                   {{Starts: 4}},
		"paint: Ridge = NaN, want finite and > 0, or 0 for the choice": {{Ridge: nan}},
		"paint: Ridge = ": {{Ridge: inf}, {Ridge: -inf}, {Ridge: -1e-300}},
		"paint: Level = 1, want in (0, 1), or 0 for": {{Level: 1}},
		"paint: Level = ":                             {{Level: nan}, {Level: inf}, {Level: -.1}},
		"paint: Share = 1.5, want in (0, 1], or 0":    {{Share: 1.5}},
		"paint: Share = ":                             {{Share: nan}, {Share: inf}, {Share: -.1}},
		"paint: Workers = -2, want >= 1, or 0 for GO": {{Workers: -2}},
		"paint: Colour = 3, want Red, Green or Blue":  {{Colour: 3}},
		"paint: Colour = -1, want Red, Green or Blue": {{Colour: -1}},
		"kernels: RBF: Gamma = -1":                    {{Kernel: kernels.RBF{Gamma: -1}}},
		"kernels: Kernel = nil":                       {{Kernel: (*kernels.RBF)(nil)}},
	} {
		for _, p := range wrong {
			for _, config := range []any{p, &p} {
				err := settings.Check("paint", config)
				assert.ErrorContains(t, err, want)
				assert.ErrorIs(t, err, fault.ErrParam)
			}
		}
	}
	for _, right := range []paint{
		{}, {Count: 1, Bytes: math.MaxInt64, Folds: 2, Starts: 3, Ridge: 5e-324, Level: .999, Share: 1, Workers: 9, Colour: 2, Offset: nan},
		{Kernel: kernels.RBF{}}, {Ridge: math.MaxFloat64}, {hidden: 9}, {embedded: embedded{Workers: -1}},
	} {
		assert.NoError(t, settings.Check("paint", right))
		assert.NoError(t, settings.Check("paint", &right))
	}
}

func TestCheckOfAWrongTag(t *testing.T) {
	assert.Panics(t, func() {
		_ = settings.Check("paint", struct {
			Share float64 `zero:"all" most:"one"`
		}{1})
	})
}
