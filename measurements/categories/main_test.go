package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// The program runs on a target that is a number, and on one that is a class. Both depend on a name.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	var numbers, classes strings.Builder
	numbers.WriteString("name,x,y\n")
	classes.WriteString("name,x,class\n")
	for range 120 {
		k, x := rng.IntN(12), rng.NormFloat64()
		fmt.Fprintf(&numbers, "n%d,%g,%g\n", k, x, float64(k*5%12)+x)
		fmt.Fprintf(&classes, "n%d,%g,%s\n", k, x, []string{"a", "b"}[k%2])
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "numbers.csv"), []byte(numbers.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "words.csv"), []byte(classes.String()), 0o600))
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-data", dir, "-splits", "1"}, &out, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	var name, measure string
	var rows, levels int
	var hot, means, categories float64
	_, err := fmt.Sscan(lines[1], &name, &rows, &levels, &measure, &hot, &means, &categories)
	require.NoError(t, err)
	assert.Equal(t, []any{"numbers", 120, 12, "NMSE"}, []any{name, rows, levels, measure})
	for _, e := range []float64{hot, means, categories} {
		assert.Less(t, e, .1)
	}
	assert.Contains(t, lines[2], "log loss")

	out.Reset()
	require.NoError(t, run(context.Background(), []string{"-data", dir, "-splits", "1", "-dummies", "5"}, &out, &out))
	assert.Contains(t, out.String(), "NaN", "not run")
	assert.ErrorContains(t, run(context.Background(), []string{"-data", t.TempDir()}, &out, &out), "no CSV file")
}
