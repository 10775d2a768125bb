package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	var out, bars bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-rows", "60"}, &out, &bars))
	assert.Contains(t, out.String(), "predictions: 1200")
	assert.Empty(t, bars.String(), "only a terminal shows bars")
	for _, args := range [][]string{{"-rows", "0"}, {"-rows", "-1"}, {"stray"}} {
		assert.ErrorContains(t, run(context.Background(), args, &out, &bars), args[0], "%v", args)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
