package main

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-sets", "breast-cancer-wdbc", "-rows", "100"}, &out, io.Discard))
	assert.Regexp(t, regexp.MustCompile(`(?m)^\| breast-cancer-wdbc \| 100 × 30 \|( \**0\.\d{3}\** \|){3}$`), out.String())
	assert.Contains(t, out.String(), "| mean rank | |")
}

// The usual rows belong to the largest class, no row is both a training and a test row, and the rows depend on the seed.
func TestTrials(t *testing.T) {
	set := &dataset.Set{X: mat.NewDense(130, 1, nil), Labels: make([]int, 130)}
	for i := range 130 {
		set.X.Set(i, 0, float64(i))
		if i%13 > 8 {
			set.Labels[i] = 2
		}
	}
	s := settings{rows: 60}
	a, ok, err := s.trialOf(set, 1)
	require.NoError(t, err)
	require.True(t, ok)
	n, _ := a.train.Dims()
	assert.Equal(t, 60, n)
	assert.Equal(t, 30, a.usual)
	seen := map[float64]bool{}
	for _, m := range []*mat.Dense{a.train, a.test} {
		rows, _ := m.Dims()
		for i := range rows {
			v := m.At(i, 0)
			assert.False(t, seen[v])
			seen[v] = true
			assert.Equal(t, m == a.test && i >= a.usual, int(v)%13 > 8, "row %v", v)
		}
	}
	again, _, err := s.trialOf(set, 1)
	require.NoError(t, err)
	assert.True(t, mat.Equal(a.train, again.train))
	other, _, err := s.trialOf(set, 2)
	require.NoError(t, err)
	assert.False(t, mat.Equal(a.train, other.train))
}

func TestJudge(t *testing.T) {
	v, err := trial{usual: 2}.judge([]float64{3, 1, 2, 0}, []bool{false, true, true, true})
	require.NoError(t, err)
	assert.Equal(t, verdict{auc: 0.75, flagged: 0.5}, v)
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{{"-rows", "3"}, {"-data", t.TempDir()}, {"-sets", "nothing"}, {"-unknown"}} {
		assert.Error(t, run(t.Context(), args, io.Discard, io.Discard), "%v", args)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
