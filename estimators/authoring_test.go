package estimators_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

type fittedModel struct {
	X      *mat.Dense
	Y      []float64
	Labels map[string]int
}

func TestModelFile(t *testing.T) {
	want := fittedModel{mat.NewDense(2, 1, []float64{1, 2}), []float64{3, 4}, map[string]int{"a": 1}}
	data, err := estimators.MarshalModel("mine.Model", 2, want)
	require.NoError(t, err)
	var got fittedModel
	version, err := estimators.UnmarshalModel(data, "mine.Model", 3, &got)
	require.NoError(t, err)
	assert.Equal(t, 2, version)
	assert.Equal(t, want, got)

	for name, read := range map[string]func() error{
		"cut short": func() error {
			_, err := estimators.UnmarshalModel(data[:40], "mine.Model", 2, &fittedModel{})
			return err
		},
		"of another kind": func() error { _, err := estimators.UnmarshalModel(data, "mine.Other", 2, &fittedModel{}); return err },
		"a later version": func() error { _, err := estimators.UnmarshalModel(data, "mine.Model", 1, &fittedModel{}); return err },
		"of other fields": func() error {
			_, err := estimators.UnmarshalModel(data, "mine.Model", 2, &struct{ Z int }{})
			return err
		},
		"a matrix cut off": func() error {
			bad, err := estimators.MarshalModel("mine.Model", 1, struct{ X []byte }{[]byte{1, 2, 3}})
			require.NoError(t, err)
			_, err = estimators.UnmarshalModel(bad, "mine.Model", 1, &fittedModel{})
			return err
		},
	} {
		assert.ErrorIs(t, read(), estimators.ErrBadModel, name)
	}
}

func TestCheckRows(t *testing.T) {
	x := mat.NewDense(2, 3, nil)
	got, err := estimators.CheckRows(x, 3)
	require.NoError(t, err)
	assert.Same(t, x, got)
	_, err = estimators.CheckRows(x, 2)
	assert.EqualError(t, err, "x has 3 columns, fitted on 2")
	_, err = estimators.CheckRows((*mat.Dense)(nil), 0)
	assert.ErrorIs(t, err, estimators.ErrShape)
	x.Set(1, 2, math.NaN())
	_, err = estimators.CheckRows(x, 0)
	assert.EqualError(t, err, "x[1,2] is NaN (counted from 0): fill gaps with columnwise.Imputer")
}

func ExampleCheckTargets() {
	fmt.Println(estimators.CheckTargets([]float64{1, 2}, 3))
	fmt.Println(estimators.CheckTargets([]float64{1, math.Inf(1)}, 2))
	err := estimators.CheckWeights("mine: Model", []float64{1, 0}, 2)
	fmt.Println(err, errors.Is(err, estimators.ErrParam))
	// Output:
	// y has 2 entries, x has 3 rows
	// y[1] is +Inf
	// mine: Model: weights = 0, want > 0 true
}

// stubborn is a third-party type whose UnmarshalBinary always fails.
type stubborn struct{}

func (stubborn) MarshalBinary() ([]byte, error) { return []byte{1}, nil }
func (*stubborn) UnmarshalBinary([]byte) error  { return errors.New("not today") }

// If the UnmarshalBinary of a third-party type fails, the error becomes ErrBadModel, as the contract requires.
func TestPartOfAnothersType(t *testing.T) {
	part, err := estimators.NestModel("mine", &stubborn{})
	require.NoError(t, err)
	err = part.UnmarshalInto("mine", "step 0", &stubborn{})
	assert.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, "step 0: not today")
}
