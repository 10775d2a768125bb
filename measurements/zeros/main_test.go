package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
	"github.com/kernelearn/kernelearn/selection/shape"
)

func TestWantsTables(t *testing.T) {
	assert.ErrorContains(t, run(context.Background(), nil, io.Discard, io.Discard), "want -rdatasets")
	assert.ErrorContains(t, run(context.Background(), []string{"-rdatasets", t.TempDir()}, io.Discard, io.Discard), "Affairs.csv")
}

// The targets are twice x, so both objectives find nearly the line.
func TestScore(t *testing.T) {
	var lines strings.Builder
	lines.WriteString("x,y\n")
	for i := range 40 {
		x := strings.Repeat("1", i%10+1)
		lines.WriteString(string(rune('0'+i/10)) + "." + x + "," + string(rune('0'+2*(i/10))) + "." + strings.ReplaceAll(x, "1", "2") + "\n")
	}
	path := filepath.Join(t.TempDir(), "line.csv")
	require.NoError(t, os.WriteFile(path, []byte(lines.String()), 0o600))
	rows, err := table.ReadCSV(path, &table.Options{Target: "y", Task: table.Regression})
	require.NoError(t, err)
	for _, o := range []shape.Objective{shape.RestrictedEvidence, shape.LeaveOneOutError} {
		got, err := score(context.Background(), rows, o, 2, 1)
		require.NoError(t, err)
		assert.Less(t, got.Mean(nmse), .01, o)
		assert.Greater(t, got.Mean(logDensity), 0., o)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
