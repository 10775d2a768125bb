package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// friedman draws n rows of Friedman's first function. Five of its ten columns affect the targets.
func friedman(n int, seed uint64) part {
	x, y := dataset.Friedman1(n, 10, seed)
	return part{x, y}
}

const friedmanGamma = 0.5

// growth prints how the time of a fit grows with n. If script is the path of kernlab's program, it also prints kernlab's time on
// the same rows.
func growth(ctx context.Context, out io.Writer, sizes []int, rscript, script string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rows\tseconds\tvectors\tNMSE\tlog evidence\tkernlab: seconds\tvectors\tNMSE\tours / kernlab\t")
	test := friedman(1000, 99)
	var logN, logOurs, logPeer []float64
	for _, n := range sizes {
		train := friedman(n, 1)
		r := &rvm.Regressor{Kernel: kernels.RBF{Gamma: friedmanGamma}}
		start := time.Now()
		if err := r.Fit(ctx, train.x, train.y); err != nil {
			return err
		}
		seconds := time.Since(start).Seconds()
		mean, err := r.Predict(test.x)
		if err != nil {
			return err
		}
		nmse, err := metrics.NMSE(test.y, mean, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%d\t%.2f\t%d\t%.4f\t%.1f\t", n, seconds, len(r.RelevanceIndices()), nmse, r.LogEvidence())
		logN, logOurs = append(logN, math.Log(float64(n))), append(logOurs, math.Log(seconds))
		if rscript == "" {
			fmt.Fprintln(table, "\t\t\t\t")
			continue
		}
		p, err := kernlab(ctx, rscript, script, train, test)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%.2f\t%.0f\t%.4f\t1 / %.1f\t\n", p[0], p[1], p[2], p[0]/seconds)
		logPeer = append(logPeer, math.Log(p[0]))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(sizes) < 2 {
		return nil
	}
	_, slope := stat.LinearRegression(logN, logOurs, nil, false)
	fmt.Fprintf(out, "\nseconds grow as n^%.2f", slope)
	if len(logPeer) > 0 {
		_, slope = stat.LinearRegression(logN, logPeer, nil, false)
		fmt.Fprintf(out, ", kernlab's as n^%.2f", slope)
	}
	fmt.Fprintln(out)
	return nil
}

// kernlab runs the peer's script. It returns seconds, the number of vectors, and the error.
func kernlab(ctx context.Context, rscript, script string, train, test part) (out [3]float64, err error) {
	dir, err := os.MkdirTemp("", "kernlab")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	files := [2]string{filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv")}
	for i, p := range []part{train, test} {
		if err := writeNumbers(files[i], p); err != nil {
			return out, err
		}
	}
	cmd := exec.CommandContext(ctx, rscript, script, files[0], files[1], fmt.Sprint(friedmanGamma))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w", rscript, script, err)
	}
	fields := strings.Fields(string(text))
	if len(fields) != len(out) {
		return out, fmt.Errorf("%s printed %q, want three numbers", script, text)
	}
	for i, f := range fields {
		if out[i], err = strconv.ParseFloat(f, 64); err != nil {
			return out, fmt.Errorf("%s printed %q: %w", script, text, err)
		}
	}
	return out, nil
}

func writeNumbers(path string, p part) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	n, d := p.x.Dims()
	record := make([]string, d+1)
	for j := range d {
		record[j] = fmt.Sprintf("x%d", j)
	}
	record[d] = "y"
	if err := w.Write(record); err != nil {
		return err
	}
	for i := range n {
		for j, v := range p.x.RawRowView(i) {
			record[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		record[d] = strconv.FormatFloat(p.y[i], 'g', -1, 64)
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// large prints a run with a number of rows n for which no n×n matrix would fit into memory. It uses landmarks, or the empty initial
// model, for which most columns are evaluated as they are needed. Each run has its own process, so that its memory can be measured.
func large(ctx context.Context, out io.Writer, which string) error {
	runs := map[string]struct {
		n        int
		machine  *rvm.Regressor
		describe string
	}{
		"landmarks": {50000, &rvm.Regressor{Components: 500, NoAllIn: true, Starts: 1}, "500 landmarks, one start"},
		"empty": {10000, &rvm.Regressor{Starts: 1, CacheBytes: 128 << 20},
			"all rows for basis, one empty start, 128 MiB of columns kept"},
	}
	c, ok := runs[which]
	if !ok {
		return fmt.Errorf("-large %s: want landmarks or empty", which)
	}
	train, test := friedman(c.n, 1), friedman(1000, 99)
	c.machine.Kernel = kernels.RBF{Gamma: friedmanGamma}
	start := time.Now()
	if err := c.machine.Fit(ctx, train.x, train.y); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	mean, err := c.machine.Predict(test.x)
	if err != nil {
		return err
	}
	nmse, err := metrics.NMSE(test.y, mean, nil)
	if err != nil {
		return err
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Fprintf(out, "%d rows, %s: %.1f s, %d vectors, NMSE %.4f, converged %v\n", c.n, c.describe, seconds,
		len(c.machine.RelevanceIndices()), nmse, c.machine.Report().Converged)
	fmt.Fprintf(out, "memory taken from the system: %d MiB; an n×n matrix would be %d MiB\n", memory.Sys>>20, int64(c.n)*int64(c.n)*8>>20)
	return nil
}
