package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
)

// external runs a method in a separate process. The process reads a training and a test file, and prints an answer.
type external struct {
	python string   // runs the script
	script string   // contains the methods of other libraries
	base   string   // program built from another checkout
	env    []string // added to the environment of this process
}

// answer holds the fields of the JSON that the process prints.
type answer struct {
	Seconds  float64   `json:"fit_seconds"`
	Predict  float64   `json:"predict_seconds"`
	Values   []float64 `json:"values"`
	Variance []float64 `json:"variance"`
	Peak     *float64  `json:"memory_peak_bytes"`
}

//go:embed base.go.txt
var baseProgram string

// buildBase builds a program that fits the selection of another checkout of this library. It leaves the checkout unchanged.
func buildBase(ctx context.Context, checkout, dir string) (string, error) {
	checkout, err := filepath.Abs(checkout)
	if err != nil {
		return "", err
	}
	source, overlay, program := filepath.Join(dir, "base.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "base")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(checkout, "cmd", "exactbase", "main.go"): source}})
	if err != nil {
		return "", err
	}
	for path, data := range map[string][]byte{source: []byte(baseProgram), overlay: replaced} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return "", err
		}
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", program, "./cmd/exactbase")
	build.Dir = checkout
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("-base %s: %w: %s", checkout, err, bytes.TrimSpace(out))
	}
	return program, nil
}

// measure fits the method in its process, and predicts.
func (e external) measure(ctx context.Context, name string, p *problem) (c cell, err error) {
	dir, err := os.MkdirTemp("", "exact")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	train, test := filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv")
	if err := writeTable(train, p.x, p.y); err != nil {
		return c, err
	}
	if err := writeTable(test, p.xNew, p.yNew); err != nil {
		return c, err
	}
	command := exec.CommandContext(ctx, e.base, train, test)
	if name != baseMethod {
		command = exec.CommandContext(ctx, e.python, e.script, name, "regression", train, test, "1")
	}
	command.Env = append(os.Environ(), e.env...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return c, err
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		return c, err
	}
	if len(a.Values) != len(p.yNew) || a.Variance != nil && len(a.Variance) != len(p.yNew) {
		return c, fmt.Errorf("%d predictions and %d variances of %d rows", len(a.Values), len(a.Variance), len(p.yNew))
	}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	c.fit, c.predict = seconds(a.Seconds), seconds(a.Predict)
	if a.Peak != nil {
		c.gib = *a.Peak / (1 << 30)
	}
	c.score(p.yNew, a.Values, a.Variance, nil, nil)
	return c, nil
}

// writeTable writes rows with a header and the target in the last column.
func writeTable(path string, x *mat.Dense, y []float64) error {
	var b strings.Builder
	n, d := x.Dims()
	for j := range d {
		fmt.Fprintf(&b, "x%d,", j)
	}
	b.WriteString("y\n")
	for i := range n {
		for _, v := range x.RawRowView(i) {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",")
		}
		b.WriteString(strconv.FormatFloat(y[i], 'g', -1, 64) + "\n")
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}
