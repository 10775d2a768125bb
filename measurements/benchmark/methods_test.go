package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// Each method of the table runs on a small number of rows.
func TestMethodsLearn(t *testing.T) {
	dir := t.TempDir()
	local := slices.DeleteFunc(slices.Concat(methods.Baselines, methods.Ours, methods.OfGolearn), func(m methods.Method) bool {
		return m.Name == methods.Budgeted // it needs the seconds of a peer
	})
	out, err := bench(t, "-splits", "1", "-rows", "150", "-budget", "2m", "-workers", "2", "-out", dir, "-methods", namesOf(local))
	require.NoError(t, err)
	learned(t, readReport(t, dir))
	for _, m := range local {
		assert.Contains(t, out, "| "+m.Name+" | "+m.Configuration)
	}
}

// learned checks that every cell is ok, and that its error is much smaller than that of a baseline.
func learned(t *testing.T, r standings.Record) {
	t.Helper()
	for _, c := range r.Cells {
		assert.Equal(t, protocol.StatusOK, c.Status, "%s on %s: %s", c.Method, c.Set, c.Error)
		switch {
		case c.Source == methods.BaselineSource:
		case c.Method == "golearn-cart" && c.Set == diabetes:
			assert.Less(t, c.Measures["NMSE"], 1.6, "a tree of ten levels on 150 noisy rows")
		case c.Set == diabetes:
			assert.Less(t, c.Measures["NMSE"], 0.8, c.Method)
		default:
			least := 0.85
			if m, ok := methods.Named(c.Method); ok && m.Unrepeatable {
				least = 0.75 // golearn draws without a seed; the share of the largest class is .63
			}
			assert.Greater(t, c.Measures["Accuracy"], least, c.Method)
		}
	}
}

// The peers' methods learn. Environment variables name the programs of the peers.
func TestPeersLearn(t *testing.T) {
	python, rscript := os.Getenv("BENCHMARK_PYTHON"), os.Getenv("BENCHMARK_RSCRIPT")
	if python == "" && rscript == "" {
		t.Skip("BENCHMARK_PYTHON and BENCHMARK_RSCRIPT name no programs")
	}
	dir := t.TempDir()
	var names []methods.Method
	for _, m := range methods.OfPeers {
		if (methods.Programs{Python: python, Rscript: rscript}).Of(m) != "" {
			names = append(names, m)
		}
	}
	out, err := bench(t, "-splits", "1", "-rows", "100", "-budget", "5m", "-workers", "2", "-out", dir, "-methods", namesOf(names),
		"-python", python, "-rscript", rscript, "-scripts", "peers")
	require.NoError(t, err)
	r := readReport(t, dir)
	learned(t, r)
	for _, c := range r.Cells {
		assert.Positive(t, c.FitSeconds, c.Method)
		if assert.NotNil(t, c.ModelBytes, c.Method) {
			assert.Positive(t, *c.ModelBytes, c.Method)
		}
		assert.Contains(t, out, c.Version)
		if strings.HasPrefix(c.Method, "sklearn-gp") && c.Set == diabetes {
			assert.InDelta(t, 0.95, c.Measures["Coverage95"], 0.08, c.Method)
			assert.Less(t, c.Measures["NLPD"], 1.42, "of a normal distribution with the moments of the targets")
		}
		if c.Set != diabetes {
			_, scored := c.Measures["AUC"]
			assert.True(t, scored, c.Method)
		}
	}
}

func namesOf(list []methods.Method) string {
	out := list[0].Name
	for _, m := range list[1:] {
		out += "," + m.Name
	}
	return out
}
