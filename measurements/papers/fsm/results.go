package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// foldErrors cross-validates the support vector machine, with the kernel matrix k of all rows. It returns the share of wrong
// classes in each fold.
func (s settings) foldErrors(ctx context.Context, k *mat.SymDense, y []int, repeat int) ([]float64, error) {
	folds, err := validation.StratifiedKFold{Folds: s.folds, Seed: s.seed + 1000*uint64(repeat)}.Split(len(y), y)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, f := range folds {
		train, test := parts(k, f)
		machine := &svm.Classifier{C: s.c}
		if err := machine.FitMatrix(ctx, train, labelsOf(y, f.Train)); err != nil {
			return nil, err
		}
		if !machine.Report().Converged {
			return nil, fmt.Errorf("the support vector machine did not converge: %v", machine.Report().Warnings)
		}
		predicted, err := machine.PredictMatrix(test)
		if err != nil {
			return nil, err
		}
		wrong := 0
		for i, l := range labelsOf(y, f.Test) {
			if l != predicted[i] {
				wrong++
			}
		}
		out = append(out, float64(wrong)/float64(len(predicted)))
	}
	return out, nil
}

// parts returns the kernel matrix of the training rows, and the kernel values between test and training rows.
func parts(k *mat.SymDense, f validation.Fold) (*mat.SymDense, *mat.Dense) {
	train, test := mat.NewSymDense(len(f.Train), nil), mat.NewDense(len(f.Test), len(f.Train), nil)
	for i, r := range f.Train {
		for j := i; j < len(f.Train); j++ {
			train.SetSym(i, j, k.At(r, f.Train[j]))
		}
	}
	for i, r := range f.Test {
		row := test.RawRowView(i)
		for j, c := range f.Train {
			row[j] = k.At(r, c)
		}
	}
	return train, test
}

func labelsOf(y, rows []int) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		out[i] = y[r]
	}
	return out
}

// cell identifies a cross-validation.
type cell struct {
	problem, kernel string
	repeat          int
	extra           string // other settings that affect the errors
}

// results holds the fold errors of finished cells, and the file that stores them.
type results struct {
	mu   sync.Mutex
	done map[cell][]float64
	file *os.File // nil without a file
}

// openResults reads a file with earlier results, if there is one. If the command was interrupted, the last line may be incomplete.
// The cell of an incomplete line is computed again.
func openResults(path string) (*results, error) {
	r := &results{done: map[cell][]float64{}}
	if path == "" {
		return r, nil
	}
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := content[:strings.LastIndexByte(string(content), '\n')+1]
	reader := csv.NewReader(strings.NewReader(string(whole)))
	reader.FieldsPerRecord = -1 // one per fold
	lines, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, l := range lines {
		if err := r.take(l); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
	}
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	if err := r.file.Truncate(int64(len(whole))); err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	if _, err := r.file.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	return r, nil
}

// take parses a line that holds a cell, followed by the errors of its folds.
func (r *results) take(line []string) error {
	if len(line) < 6 {
		return fmt.Errorf("%d fields, want a cell and at least 2 errors", len(line))
	}
	repeat, err := strconv.Atoi(line[2])
	if err != nil {
		return err
	}
	c := cell{line[0], line[1], repeat, line[3]}
	r.done[c] = nil
	for _, field := range line[4:] {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return err
		}
		r.done[c] = append(r.done[c], v)
	}
	return nil
}

// get returns the errors of a cell, or nil if it is not finished.
func (r *results) get(c cell) []float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done[c]
}

// put saves the errors of a cell.
func (r *results) put(c cell, foldErrors []float64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[c] = foldErrors
	if r.file == nil {
		return nil
	}
	line := []string{c.problem, c.kernel, strconv.Itoa(c.repeat), c.extra}
	for _, v := range foldErrors {
		line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
	}
	w := csv.NewWriter(r.file)
	if err := w.Write(line); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

func (r *results) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
