package main

import (
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

// number returns the first group of a match in the output.
func number(t *testing.T, text, expression string) float64 {
	m := regexp.MustCompile(expression).FindStringSubmatch(text)
	require.NotNil(t, m, "%s in\n%s", expression, text)
	v, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	return v
}

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{
		"-repeats", "2", "-samplers", "diabetes-progression", "-landmarks", "diabetes-progression", "-models", "breast-cancer-wdbc,diabetes-progression",
		"-features", "100", "-most", "100", "-search", "150", "-subset", "200",
	}, &out, io.Discard))
	text := out.String()
	for _, s := range []string{"Independent", "Orthogonal"} {
		assert.InDelta(t, -1, number(t, text, `10 +`+s+` .* (-[0-9.]+)\n`), 0.25, s)
	}
	last := `.* ([0-9.e-]+) +-[0-9.]+\n`
	assert.Less(t, number(t, text, `10 +Orthogonal`+last), number(t, text, `10 +Independent`+last))
	assert.Less(t, number(t, text, `442 +PivotedCholesky +[0-9.]+ +[0-9.]+ +([0-9.]+)\n`), number(t, text, `442 +UniformLandmarks +[0-9.]+ +[0-9.]+ +([0-9.]+)\n`))
	assert.Less(t, number(t, text, `ridge on Nystroem features +427 +([0-9.]+) `), 0.08, "breast cancer")
	assert.Less(t, number(t, text, `ridge on random features +331 +([0-9.]+) `), 0.7, "diabetes")
	assert.Contains(t, text, "breast-cancer-wdbc: RBF(gamma=")
	assert.Contains(t, text, "chosen on 150 rows; the error is the share of wrong signs of 142 test rows")

	assert.ErrorContains(t, run(context.Background(), []string{"-models", "nothing"}, &out, io.Discard), "nothing")
	assert.ErrorContains(t, run(context.Background(), []string{"-tables", "chairs"}, &out, io.Discard), "chairs")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, run(ctx, nil, &out, io.Discard), context.Canceled)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
