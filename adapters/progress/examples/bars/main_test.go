package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out, bars bytes.Buffer
	require.NoError(t, run(context.Background(), 60, &out, &bars))
	assert.Contains(t, out.String(), "predictions: 1200")
	assert.Equal(t, 4, strings.Count(bars.String(), "\n"), "bars that are full")
}
