package embedding_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/embedding"
)

type long interface{ Long() }

type short interface{ Short() }

type hidden interface{ hide() }

type base struct{}

func (base) Long()  {}
func (base) Short() {}
func (base) hide()  {}

type pointed struct{}

func (*pointed) Long()  {}
func (*pointed) Short() {}

type (
	byValue    struct{ base }
	byPointer  struct{ *base }
	ofPointer  struct{ pointed }
	twice      struct{ byValue }
	byContract struct{ long }
	held       struct{ _ base }
	added      struct{ byContract }
	part       struct{ _ embedding.Promoted }
	whole      struct{ part }
	ofWhole    struct{ *whole }
	inWhole    struct{ whole }
	slice      []base
)

func (part) Short()  {}
func (held) Short()  {}
func (added) Short() {}
func (slice) Short() {}

func TestAs(t *testing.T) {
	for name, c := range map[string]struct {
		v    any
		want bool
	}{
		"its own":                                     {base{}, true},
		"through a pointer":                           {&base{}, true},
		"with a receiver that is a pointer":           {&pointed{}, true},
		"of an embedded value":                        {byValue{}, false},
		"of a pointer to such":                        {&byValue{}, false},
		"of an embedded pointer":                      {byPointer{}, false},
		"of a pointer receiver":                       {&ofPointer{}, false},
		"two levels down":                             {twice{}, false},
		"not there":                                   {byContract{base{}}, false},
		"in a named field":                            {held{}, true},
		"beside an embedded one without":              {added{}, true},
		"of a type that is not a struct":              {slice{}, true},
		"of a shared part":                            {whole{}, true},
		"of a pointer to a struct with a part":        {ofWhole{&whole{}}, false},
		"of a struct that embeds such a value":        {inWhole{}, false},
		"nil":                                         {nil, false},
		"of a missing receiver":                       {ofPointer{}, false},
		"of a nil pointer to a struct with a part":    {(*base)(nil), true},
		"of a nil pointer to a struct that embeds it": {(*byValue)(nil), false},
	} {
		for range 2 { // the second round uses the cache
			v, ok := embedding.As[short](c.v)
			assert.Equal(t, c.want, ok, name)
			assert.Equal(t, c.want, v != nil, name)
			if c.v != nil {
				assert.Equal(t, c.want, embedding.Implements(reflect.TypeOf(c.v), reflect.TypeFor[short]()), name)
			}
		}
	}
	_, ok := embedding.As[hidden](base{})
	assert.True(t, ok)
	_, ok = embedding.As[hidden](byValue{})
	assert.False(t, ok, "methods that are not exported are promoted too")
}

func TestAsDoesNotAllocate(t *testing.T) {
	var a, b any = &base{}, &byValue{}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = embedding.As[short](a)
		_, _ = embedding.As[short](b)
	}))
}
