package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The drift command finds no drift between houses from the same distribution. It finds a missing town and larger areas.
func TestDrift(t *testing.T) {
	dir := t.TempDir()
	before, now := houses(t, dir, 150, 1), houses(t, dir, 120, 2)
	code, out, progress := command(t, "", "drift", before, now, "-quiet", "-drop", "id,price", "-permutations", "99")
	require.Zero(t, code, progress)
	assert.Contains(t, progress, "150 rows of 6 columns")
	assert.Regexp(t, `(?m)^area +D = 0\.\d+ +(0\.[1-9]\d*|1) +`, out)
	assert.Regexp(t, `(?m)^district +χ² = `, out)
	assert.Regexp(t, `(?m)^all columns +MMD² = \S+ +0\.\d+$`, out)
	assert.Contains(t, out, "150 rows before and 120 now; joint test of 150 and 120 rows with 99 permutations\n")

	text := "area,district,sold\n" + strings.Repeat("99,east,2024-05-05\n98.5,north,2024-06-07\n101,north,2024-03-01\n", 20)
	code, out, progress = command(t, text, "drift", before, "-", "-drop", "id,price", "-rows", "50", "-seed", "3")
	require.Zero(t, code, progress)
	assert.Contains(t, progress, "column district: 20 rows with levels that are new to the model")
	assert.Regexp(t, `(?m)^area +D = 0\.9\d* +\S+e-\d+ +\S+e-\d+ +5\.33% +0%$`, out)
	assert.Regexp(t, `(?m)^all columns +MMD² = 0\.\d+ +0\.001$`, out)
}

func TestDriftRefuses(t *testing.T) {
	path := houses(t, t.TempDir(), 20, 1)
	for says, args := range map[string][]string{
		"want an old table and a new one, not 1 arguments": {"drift", path},
		"-permutations -1: want 1 or more":                 {"drift", path, path, "-permutations", "-1"},
		"-rows 1: want 2 or more":                          {"drift", path, path, "-rows", "1"},
		"-kind area=nothing: want number":                  {"drift", path, path, "-kind", "area=nothing"},
	} {
		code, out, progress := command(t, "", args...)
		assert.Equal(t, exitUsage, code, says)
		assert.Empty(t, out)
		assert.Contains(t, progress, says)
	}
	code, _, progress := command(t, "area,district\n50,north\n", "drift", path, "-")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, progress, `"sold"`)
}
