package spelling

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNear(t *testing.T) {
	known := []string{"area", "district", "built", "Rent", "red", "rex"}
	for name, want := range map[string][]string{
		"distirct": {"district"}, "rent": {"Rent"}, "aera": nil, "are": {"area"}, "ret": {"Rent", "red", "rex"}, "xyz": nil, "": nil,
	} {
		assert.Equal(t, want, Near(name, known), name)
	}
	assert.Equal(t, `a column, perhaps "built"`, Want("buildt", known))
	assert.Equal(t, `one of the columns "a", "b"`, Want("xyz", []string{"a", "b"}))
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"kitten", "sitting", 3}, {"", "abc", 3}, {"abc", "", 3}, {"größe", "grösse", 2}, {"same", "same", 0}, {"ab", "ba", 2}} {
		assert.Equal(t, c.want, distance([]rune(c.a), []rune(c.b)), "%s, %s", c.a, c.b)
		assert.Equal(t, c.want, distance([]rune(c.b), []rune(c.a)), "%s, %s", c.b, c.a)
	}
}
