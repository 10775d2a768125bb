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
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// write writes a set with two columns, whose target is a wave with noise. It is split into 200 training rows and 100 test rows.
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

// The noise has a standard deviation of 2 and the target one of about 14, so no method can have an error below 0.13.
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
	require.NoError(t, run(context.Background(), []string{"-uci", dir, "-sets", "wave", "-splits", "1", "-rows", "50",
		"-methods", "lssvm,falkon"},
		&out, nil))
	assert.Contains(t, out.String(), "wave              1     50 lssvm ")
	assert.Contains(t, out.String(), "wave              1     50 falkon ")
}

func TestErrors(t *testing.T) {
	dir := write(t)
	for text, args := range map[string][]string{
		"want -uci":          {},
		"split 2 of 2":       {"-uci", dir, "-sets", "wave", "-splits", "2"},
		`"base", want`:       {"-uci", dir, "-sets", "wave", "-methods", "base"},
		`-methods: "tree"`:   {"-uci", dir, "-sets", "wave", "-methods", "tree"},
		"none: open ":        {"-uci", dir, "-sets", "none"},
		`parsing "x": inval`: {"-uci", dir, "-sets", "wave", "-splits", "x"},
	} {
		assert.ErrorContains(t, run(context.Background(), args, &bytes.Buffer{}, nil), text)
	}
}

// The selection of a checkout is fitted in a separate process. Here it is this checkout, so the error and the density are the same.
func TestOtherCheckout(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-uci", write(t), "-sets", "wave", "-rows", "60", "-base", "../..",
		"-methods", "selection,base", "-repeat", "2"}, &out, nil))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 5)
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		assert.Equal(t, strings.Fields(lines[1])[4:6], fields[4:6], "the error and the density of %s", fields[3])
	}
}

// The answer of a separate process is read. A script replaces Python here.
func TestOtherLibrary(t *testing.T) {
	dir := t.TempDir()
	p := &problem{x: mat.NewDense(2, 1, []float64{1, 2}), y: []float64{0.1, 2},
		xNew: mat.NewDense(2, 1, []float64{3, 4}), yNew: []float64{1, 1}}
	script := filepath.Join(dir, "python")
	for text, want := range map[string]string{
		`{"fit_seconds": 2, "predict_seconds": 1, "values": [0, 1], "variance": [1, 1], "memory_peak_bytes": 1073741824}`: "",
		`{"values": [0]}`: "1 predictions and 0 variances of 2 rows",
		`none`:            "invalid character",
	} {
		program := "#!/bin/sh\ntest \"$2\" = tree && grep -q '^1,0.1$' \"$4\" && echo '" + text + "'\n"
		require.NoError(t, os.WriteFile(script, []byte(program), 0o700))
		c, err := external{python: script}.measure(context.Background(), "tree", p)
		if want != "" {
			assert.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.InDelta(t, math.Sqrt(0.5), c.rmse, 1e-12)
		assert.InDelta(t, math.Log(2*math.Pi)/2+0.25, c.nlpd, 1e-12)
		assert.Equal(t, []float64{1, 2, 1}, []float64{c.covered, c.fit.Seconds(), c.gib})
	}
}
