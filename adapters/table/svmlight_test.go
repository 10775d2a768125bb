package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
)

func sparse(t *testing.T, o *Options, text string) *Table {
	t.Helper()
	out, err := ParseSVMLight("s", strings.NewReader(text), o)
	require.NoError(t, err)
	return out
}

func TestSVMLight(t *testing.T) {
	got := sparse(t, nil, "# a file\n+1 qid:4 1:0.5 3:-2e1 # first\n-1.0 qid:4\n\n1 qid:7 2:3\r\n")
	assertCells(t, [][]float64{{.5, 0, -20}, {0, 0, 0}, {0, 3, 0}}, got.X)
	assert.Equal(t, []string{"1", "2", "3"}, got.Schema.Names())
	assert.Equal(t, []string{"-1", "1"}, got.Schema.Classes())
	assert.Equal(t, []int{1, 0, 1}, got.Labels)
	assert.Equal(t, []int{4, 4, 7}, got.Groups)
	next := sparse(t, &Options{Schema: got.Schema}, "1 2:7\n")
	assertCells(t, [][]float64{{0, 7, 0}}, next.X)
	assert.Nil(t, next.Groups)
	zero := sparse(t, nil, "2.5 0:1 2:2\n3 1:1\n1 0:4\n")
	assertCells(t, [][]float64{{1, 0, 2}, {0, 1, 0}, {4, 0, 0}}, zero.X)
	assert.Equal(t, []float64{2.5, 3, 1}, zero.Targets)
	var out bytes.Buffer
	require.NoError(t, zero.WriteCSV(&out, &Predictions{Numbers: []float64{1, 2, 3}}))
	assert.Equal(t, "0,1,2,prediction\n1,0,2,1\n0,1,0,2\n4,0,0,3\n", out.String())
	assert.Equal(t, []string{"1", "2", "4"}, sparse(t, &Options{Task: Classification}, "1 1:1\n2 1:2\n4 1:1\n").Schema.Classes())
}

func TestRefusedSVMLight(t *testing.T) {
	for text, is := range map[string]error{
		"":                        estimators.ErrShape,
		"1\n2\n3\n":               estimators.ErrShape,
		"one 1:1\n":               estimators.ErrParam,
		"1 1\n":                   estimators.ErrParam,
		"1 a:1\n":                 estimators.ErrParam,
		"1 1:x\n":                 estimators.ErrParam,
		"1 -1:1\n":                estimators.ErrParam,
		"1 2:1 2:1\n":             estimators.ErrParam,
		"1 3:1 2:1\n":             estimators.ErrParam,
		"1 qid:x 2:1\n":           estimators.ErrParam,
		"1 qid:1 2:1\n1 2:1\n":    estimators.ErrParam,
		"1 2:1\n1 qid:1 2:1\n":    estimators.ErrParam,
		"1 1:inf\n":               estimators.ErrNotFinite,
		"nan 1:1\n":               estimators.ErrNotFinite,
		"1 2000000000:1\n2 1:1\n": estimators.ErrTooLarge,
		"1 9000000000:1\n2 1:1\n": estimators.ErrParam,
	} {
		_, err := ParseSVMLight("s", strings.NewReader(text), nil)
		require.ErrorIs(t, err, is, "%q", text)
		assert.ErrorContains(t, err, "s", "%q", text)
	}
	s := sparse(t, nil, "1.5 1:1 2:2\n").Schema
	_, err := ParseSVMLight("s", strings.NewReader("1 3:1"), &Options{Schema: s})
	require.ErrorContains(t, err, "s:1: feature = 3, want one of the 2 of the schema")
	for _, o := range []Options{{Target: "target"}, {Drop: []string{"1"}}, {Schema: parsed(t, nil, "a", "1").Schema},
		{Schema: parsed(t, nil, "1", "1").Schema}} {
		_, err = ParseSVMLight("s", strings.NewReader("1 1:1"), &o)
		require.ErrorIs(t, err, estimators.ErrParam)
	}
}
