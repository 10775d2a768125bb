package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Wrong flags are errors before any file is created.
func TestCheckFlags(t *testing.T) {
	require.NoError(t, checkFlags())
	for name, bad := range map[string]string{
		"rows": "0", "columns": "-1", "shards": "0", "flink-parallelism": "0", "range": "0", "features": "7", "format": "json", "data": filepath.Join(os.DevNull, "nowhere"),
	} {
		usual := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, bad))
		assert.ErrorContains(t, checkFlags(), "-"+name, bad)
		require.NoError(t, flag.Set(name, usual))
	}
}
