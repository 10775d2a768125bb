package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-splits", "1", "-sets", "diabetes-progression"}, &out, io.Discard))
	assert.Regexp(t, `diabetes-progression +331 +10 +0\.1037 `, out.String(), "the heuristic of 331 rows")
	assert.Contains(t, out.String(), "test NMSE, means of 1 splits")
	assert.Regexp(t, `the chain differs from lssvm by at most \de-1[0-9]\n`, out.String())

	assert.ErrorContains(t, run(context.Background(), []string{"-sets", "nothing"}, &out, io.Discard), "nothing")
	assert.Error(t, run(context.Background(), []string{"-splits", "-1"}, &out, io.Discard))
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
