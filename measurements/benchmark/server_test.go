package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// fakePeers creates a folder with a cells.py that uses the real server. Its cells run the lines of a function run(job). It offers
// all methods of scikit-learn except the missing ones.
func fakePeers(t *testing.T, run, missing string) (python, scripts string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no python3, or no fork")
	}
	scripts = t.TempDir()
	server, err := os.ReadFile(filepath.Join("peers", "serve.py"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(scripts, "serve.py"), server, 0o600))
	if missing == "" {
		missing = "{}"
	}
	script := "import os, signal, socket, sys, time\nimport serve\nseen = []\ndef run(job):\n    " + strings.ReplaceAll(run, "\n", "\n    ") +
		"\nserve.serve(run, [\"sklearn-gp\", \"sklearn-forest\"], " + missing + ")\n"
	require.NoError(t, os.WriteFile(filepath.Join(scripts, "cells.py"), []byte(script), 0o600))
	return python, scripts
}

// meanOfTrain is a fake method that predicts the mean of the training targets.
const meanOfTrain = `y = [float(line.split(",")[-1]) for line in open(job["train"]).readlines()[1:]]
n = len(open(job["test"]).readlines()) - 1
mean = sum(y) / len(y)
variance = sum((v - mean) ** 2 for v in y) / len(y)
out = dict(values=[mean] * n, fit_seconds=0.25, predict_seconds=0.125, model_bytes=os.getppid(), memory_peak_bytes=os.getpid(), version="fake 1")
`

// The child process of a peer ends with its cell, and with the program, however the program ends.
func TestNoPeerOutlivesItsCell(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	hang := fmt.Sprintf("s = socket.create_connection((\"127.0.0.1\", %d))\nif os.fork():\n    time.sleep(3600)\nwhile True: time.sleep(3600)", l.Addr().(*net.TCPAddr).Port)
	python, scripts := fakePeers(t, hang, "")
	args := []string{"-sets", diabetes, "-splits", "1", "-rows", "50", "-methods", "sklearn-gp", "-python", python, "-scripts", scripts}
	dir := t.TempDir()
	_, err = bench(t, append(args, "-budget", "1s", "-out", dir)...)
	require.NoError(t, err)
	assert.Equal(t, protocol.StatusOverBudget, readReport(t, dir).Cells[0].Status)
	connection, err := l.Accept()
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, connection) // returns when the child and its children have ended

	cmd, _ := parent(t, append(args, "-budget", "1h", "-out", t.TempDir())...)
	connection, err = l.Accept()
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	_, _ = io.Copy(io.Discard, connection)
}

func TestABusyPeerIsEnded(t *testing.T) {
	python, scripts := fakePeers(t, "while True: pass", "")
	dir := t.TempDir()
	_, err := bench(t, "-sets", diabetes, "-splits", "1", "-rows", "50", "-out", dir, "-methods", "sklearn-gp", "-budget", "1s", "-python", python, "-scripts", scripts)
	require.NoError(t, err)
	assert.Equal(t, protocol.StatusOverBudget, readReport(t, dir).Cells[0].Status)
}

func TestAPeerThatFailsIsARow(t *testing.T) {
	for run, want := range map[string]string{
		"raise SystemExit('out of cheese')":             "out of cheese; exit status 1",
		"return {'values': 'cheese'}":                   "gave no outcome",
		"sys.exit(0)":                                   "gave no outcome",
		"return {'values': [1, 2]}":                     "NMSE",
		"os.kill(os.getpid(), signal.SIGKILL)":          "signal: killed",
		"os.kill(os.getpid(), signal.SIGSEGV)":          "segmentation fault",
		"sys.stderr.write('lost'); os._exit(3)":         "lost; exit status 3",
		"raise ValueError('no cheese today')":           "ValueError: no cheese today; exit status 1",
		"os.kill(os.getppid(), 9); time.sleep(3600)":    "the server ended: signal: killed",
		"return {'error': 'no cheese', 'values': None}": "no cheese",
	} {
		python, scripts := fakePeers(t, run, "")
		dir := t.TempDir()
		_, err := bench(t, "-sets", diabetes, "-splits", "1", "-rows", "50", "-out", dir, "-methods", "sklearn-gp", "-python", python, "-scripts", scripts)
		require.NoError(t, err)
		c := readReport(t, dir).Cells[0]
		assert.Equal(t, protocol.StatusFailed, c.Status, run)
		assert.Contains(t, c.Error, want)
	}
}

// The cells of a server run one after the other as children of its process. No cell sees anything left by another. A server that
// dies is replaced with a new one.
func TestAServerStaysUpOverCells(t *testing.T) {
	python, scripts := fakePeers(t, meanOfTrain+`seen.append(1)
print("none of your business")
if job["seed"] == 2: os.kill(os.getppid(), 9)
out["values"] = [v + 1e6 * (len(seen) - 1) for v in out["values"]]
out["variance"] = [variance] * n
out["low"], out["high"] = [mean - 1e6] * n, [mean + 1e6] * n
return out`, "")
	dir := t.TempDir()
	_, err := bench(t, "-sets", diabetes, "-splits", "5", "-rows", "50", "-workers", "1", "-out", dir, "-methods", "sklearn-gp", "-python", python, "-scripts", scripts)
	require.NoError(t, err)
	var of []int64
	for i, c := range readReport(t, dir).Cells {
		if i == 1 { // its seed is 2
			assert.Equal(t, protocol.StatusFailed, c.Status)
			assert.Contains(t, c.Error, "the server ended")
			continue
		}
		require.Equal(t, protocol.StatusOK, c.Status, c.Error)
		assert.InDelta(t, 1, c.Measures["NMSE"], 0.15, "no cell sees another's list")
		assert.InDelta(t, 1.42, c.Measures["NLPD"], 0.15)
		assert.Equal(t, 1., c.Measures[methods.Coverage], "of its own intervals")
		assert.Greater(t, c.Measures[methods.Width], 1e4)
		assert.Equal(t, []float64{0.25, 0.125}, []float64{c.FitSeconds, c.PredictSeconds})
		assert.NotEqual(t, *c.ModelBytes, *c.PeakBytes)
		of = append(of, *c.ModelBytes)
	}
	require.Len(t, of, 4)
	assert.Equal(t, of[1], of[2])
	assert.Equal(t, of[2], of[3])
	assert.NotEqual(t, of[0], of[1], "after the dead one there is another")
}

func TestMissingPeersAreSaidOnce(t *testing.T) {
	python, scripts := fakePeers(t, meanOfTrain+"return out", `{"sklearn-forest": "no trees here"}`)
	dir := t.TempDir()
	args := []string{"-sets", diabetes, "-splits", "2", "-rows", "50", "-out", dir, "-python", python, "-scripts", scripts}
	var progress strings.Builder
	var printed strings.Builder
	require.NoError(t, run(t.Context(), append(args, "-methods", "sklearn-forest,sklearn-gp"), &printed, &progress))
	assert.Equal(t, 1, strings.Count(progress.String(), "missing: sklearn-forest: no trees here"))
	assert.Equal(t, 1, strings.Count(printed.String(), "- missing: sklearn-forest: no trees here\n"))
	r := readReport(t, dir)
	assert.Equal(t, []methods.Missing{{Method: "sklearn-forest", Reason: "no trees here"}}, r.Missing)
	require.Len(t, r.Cells, 2, "it has no cells")
	assert.Equal(t, "sklearn-gp", r.Cells[0].Method)

	_, err := bench(t, append(args, "-methods", "sklearn-forest")...)
	assert.ErrorContains(t, err, "none of -methods can be run")

	// A server that does not start is not an error if there are other methods.
	require.NoError(t, os.WriteFile(filepath.Join(scripts, "cells.py"), []byte("raise SystemExit('no numpy')"), 0o600))
	printed.Reset()
	require.NoError(t, run(t.Context(), append(args, "-methods", "mean,sklearn-gp"), &printed, io.Discard))
	assert.Contains(t, printed.String(), "- missing: sklearn-gp: no numpy; the server ended: exit status 1\n")
}

// The names of the methods in Go and in cells.py are the same.
func TestPeersAreThoseOfTheScript(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("peers", "cells.py"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(script), "\nMETHODS = {")
	table, _, _ = strings.Cut(table, "\n}\n")
	var there []string
	for _, part := range strings.Split(table, `"`) {
		if m, ok := methods.Named(part); ok && m.IsServed() {
			there = append(there, part)
		}
	}
	var here []string
	for _, m := range methods.OfPeers {
		if m.IsServed() {
			here = append(here, m.Name)
		}
	}
	slices.Sort(there)
	slices.Sort(here)
	assert.Equal(t, here, there)
	for _, name := range standings.Rivals {
		assert.Contains(t, here, name)
	}
}
