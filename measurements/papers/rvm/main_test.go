package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// The command prints the errors for a small protocol in the same format.
func TestProtocol(t *testing.T) {
	dir := t.TempDir()
	for _, s := range sets {
		var data, splits strings.Builder
		p := friedman(40, 1)
		for i, y := range p.y {
			if s.classes {
				y = map[bool]float64{true: 1}[p.x.At(i, 3) > 0.5]
			}
			fmt.Fprintf(&data, "%v,%v,%v\n", y, p.x.At(i, 3), p.x.At(i, 0))
			if i < 30 {
				fmt.Fprintf(&splits, "%d,%d\n", i+1, i+11)
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, s.name+".csv"), []byte(data.String()), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, s.name+".split.csv"), []byte(splits.String()), 0o644))
	}
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-protocol", dir}, &out, io.Discard))
	assert.Regexp(t, `(?m)^boston +40 +0\.\d{4} `, out.String())
	assert.Regexp(t, `(?m)^pima +40 +0\.\d{4} `, out.String())
	assert.Regexp(t, `cover \d+\.\d% of 100 test rows`, out.String(), "five sets of two splits with 10 rows each")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "iono.csv"), []byte("1,x\n"), 0o644))
	assert.ErrorContains(t, run(context.Background(), []string{"-protocol", dir}, &out, io.Discard), "iono: ")
}

func TestGrowth(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-friedman", "40,80"}, &out, io.Discard))
	assert.Regexp(t, `(?m)^ +80 +\d`, out.String())
	assert.Regexp(t, `seconds grow as n\^-?\d`, out.String())
	for _, args := range [][]string{{"-friedman", "x"}, {"-friedman", "1"}, {"-large", "x"}, {"-friedman", "40", "-rscript", "no-such-program"}} {
		assert.Error(t, run(context.Background(), args, io.Discard, io.Discard), "%v", args)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
