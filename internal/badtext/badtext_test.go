package badtext

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEach(t *testing.T) {
	type inner struct{ C string }
	type whole struct {
		A     string
		B     []string
		In    *inner
		M     map[string]string
		N     int
		under string
	}
	make := func() whole {
		return whole{A: "a", B: []string{"b", "c"}, In: &inner{"d"}, M: map[string]string{"k": "v"}, under: "u"}
	}
	v := make()
	var paths []string
	n := ForEachField(&v, func(path string) {
		bad := 0
		for _, s := range append([]string{v.A, v.In.C}, v.B...) {
			if s == Text {
				bad++
			}
		}
		for k, s := range v.M {
			if k == Text || s == Text {
				bad++
			}
		}
		assert.Equal(t, 1, bad, path)
		paths = append(paths, path)
	})
	assert.Equal(t, []string{".A", ".B[0]", ".B[1]", ".In.C", ".M[k] as a key", ".M[k]"}, paths)
	assert.Equal(t, len(paths), n)
	assert.Equal(t, make(), v)
}
