package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestRunOnWhatIsShipped(t *testing.T) {
	var out bytes.Buffer
	folder := t.TempDir()
	require.NoError(t, run(context.Background(), []string{"-rows", "200", "-out", folder, "-effects", "4"}, &out, io.Discard))
	text := out.String()
	assert.Regexp(t, `200 rows to train, 111 to test on`, text)
	assert.Regexp(t, `standardised +(restricted log evidence )?-?\d`, text, "the table of the search")
	m := regexp.MustCompile(`first order +relevance\s+(\w+) `).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	assert.Contains(t, []string{"bmi", "s5"}, m[1], "the features known to matter most")
	errors := regexp.MustCompile(`(?m)(?:column|entropy\)) +\d+\.\d+ +(\d\.\d+) +(\d+\.\d)%`).FindAllStringSubmatch(text, -1)
	require.Len(t, errors, 2, text)
	for _, e := range errors {
		nmse, err := strconv.ParseFloat(e[1], 64)
		require.NoError(t, err)
		assert.Less(t, nmse, 0.7)
		covered, err := strconv.ParseFloat(e[2], 64)
		require.NoError(t, err)
		assert.Greater(t, covered, 80.0)
	}
	for _, name := range []string{"relevances", "effects"} {
		f, err := os.Open(filepath.Join(folder, "shape-diabetes-progression-"+name+".png"))
		require.NoError(t, err)
		picture, err := png.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		assert.Greater(t, picture.Bounds().Dx(), 400, name)
	}
}

func TestErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-rows", "2"}, {"-effects", "0"}, {"-sets", "nowhere"}, {"-data", "/nowhere"}, {"-sets", "breast-cancer-wdbc"}, {"-none"},
	} {
		assert.Error(t, run(context.Background(), args, io.Discard, io.Discard), "%v", args)
	}
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
