package declared_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
)

// recorder records failures of a test.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func write(t *testing.T, path, source string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
}

func TestLists(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), `package a
type One struct{}
func (*One) Fit() {}
type Two[T any] struct{}
func (Two[T]) Fit() {}
func (Two[T]) At() {}
type hidden struct{}
func (hidden) Fit() {}
type Other struct{ One }
func (Other) Name() {}
type part[T any] struct{}
func (part[T]) Fit() {}
type Whole struct {
	part[int]
	Name string
}`)
	write(t, filepath.Join(root, "a_test.go"), "package a\nfunc (Three) Fit() {}")
	write(t, filepath.Join(root, "internal", "b.go"), "package b\nfunc (Four) Fit() {}")
	write(t, filepath.Join(root, "deep", "c.go"), "package c\nfunc (Five) At() {}")
	assert.Equal(t, []string{"a.One", "a.Two", "a.Whole", "c.Five"}, declared.Types(t, root, "Fit", "At"))

	for _, c := range []struct {
		list   []string
		except map[string]string
		want   []string
	}{
		{[]string{"a.One", "a.Two", "a.Whole"}, nil, nil},
		{[]string{"a.One", "a.Whole"}, nil, []string{"the list has no line for a.Two"}},
		{nil, nil, []string{"the list has no line for a.One", "the list has no line for a.Two", "the list has no line for a.Whole"}},
		{[]string{"a.One", "a.Whole"}, map[string]string{"a.Two": "is odd"}, nil},
		{[]string{"a.One", "a.Two", "a.Whole"}, map[string]string{"a.One": "is odd"}, []string{"the list has a.One, but is declared not to: is odd"}},
		{[]string{"a.One", "a.Two", "a.Whole"}, map[string]string{"a.Three": "is odd"}, []string{"the list excuses a.Three, which does not exist"}},
	} {
		r := &recorder{TB: t}
		declared.Lists(r, "the list", c.list, c.except, root, "Fit")
		assert.Equal(t, c.want, r.errors)
	}
	r := &recorder{TB: t}
	declared.Lists(r, "the list", nil, nil, root, "Nothing")
	assert.Len(t, r.errors, 1, "a search that finds nothing is not passed")
	assert.Equal(t, "declared_test.recorder", declared.Name(r))
}
