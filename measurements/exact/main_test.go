package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// write writes a set of two columns, a wave with noise, and its split into 200 training rows and 100 for the test.
func write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 1))
	data, mask := "", ""
	for i := range 300 {
		x := 6 * random.Float64()
		data += fmt.Sprintf("%g, True, %g\n", x, 100+20*math.Sin(x)+2*random.NormFloat64())
		mask += []string{"False,True\n", "False,False\n", "True,False\n"}[i%3]
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "uci_datasets", "wave"), 0o755))
	for name, text := range map[string]string{"data": data, "test_mask": mask} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, "uci_datasets", "wave", name+".csv.gz"), b.Bytes(), 0o644))
	}
	return dir
}

// The noise is 2 of a target whose deviation is about 14: no method can do better than an error of 0.13.
func TestMeasures(t *testing.T) {
	dir := write(t)
	p, err := read(filepath.Join(dir, "uci_datasets", "wave"), 0, 0)
	require.NoError(t, err)
	assert.Len(t, p.y, 200)
	assert.Len(t, p.yNew, 100)
	c, err := p.measure(context.Background(), methods["lssvm"]())
	require.NoError(t, err)
	assert.InDelta(t, 0.14, c.rmse, 0.04)
	assert.InDelta(t, math.Log(0.14)+1.42, c.nlpd, 0.3)
	assert.InDelta(t, 0.95, c.covered, 0.06)

	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-uci", dir, "-sets", "wave", "-splits", "1", "-rows", "50", "-methods", "lssvm,falkon"},
		&out, nil))
	assert.Contains(t, out.String(), "wave              1     50 lssvm")
	assert.Contains(t, out.String(), "wave              1     50 falkon")
}

func TestErrors(t *testing.T) {
	dir := write(t)
	for text, args := range map[string][]string{
		"want -uci":          {},
		"split 2 of 2":       {"-uci", dir, "-sets", "wave", "-splits", "2"},
		`-methods: "tree"`:   {"-uci", dir, "-sets", "wave", "-methods", "tree"},
		"none: open ":        {"-uci", dir, "-sets", "none"},
		`parsing "x": inval`: {"-uci", dir, "-sets", "wave", "-splits", "x"},
	} {
		assert.ErrorContains(t, run(context.Background(), args, &bytes.Buffer{}, nil), text)
	}
}
