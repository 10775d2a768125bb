package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/cli/clitest"
)

// Every item runs, on few rows and without the peers.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-scale", "0.01", "-rounds", "1", "-blas", "simdblas"}, &out, io.Discard))
	for _, it := range items() {
		assert.Contains(t, out.String(), it.name)
	}
	assert.Error(t, run(context.Background(), []string{"-only", "nothing"}, &out, io.Discard))
	assert.Error(t, run(context.Background(), []string{"-blas", "nothing"}, &out, io.Discard))
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
