package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// problem is a set of figure 4, with its four kernels.
type problem struct {
	set        string
	note       string // the change to the set, if any
	x          *mat.Dense
	y          []int
	sha256     string
	candidates []kernels.Kernel // kernels for the measures, in the order of kernelNames
	learners   []kernels.Kernel // for the support vector machine
}

// kernelNames lists the names of the paper's kernels.
var kernelNames = []string{"Lin", "Poly", "RBF", "Tanh"}

// name distinguishes the problem from other problems with the same set.
func (p problem) name() string {
	if p.note == "" {
		return p.set
	}
	return p.set + " (" + p.note + ")"
}

// open reads a set and scales each feature over all rows to [-1, 1], as in the paper. The measures are computed on all rows, and
// the scaling does not use labels.
func (s settings) open(ctx context.Context, name string) (problem, error) {
	set, err := dataset.Open(s.data, name)
	if err != nil {
		return problem{}, err
	}
	p := problem{set: name, x: set.X, y: set.Labels, sha256: set.SHA256}
	var notes []string
	if name == "vehicle" && s.vehicle != "rest" {
		if p.y, err = group(set, s.vehicle); err != nil {
			return p, err
		}
		notes = append(notes, s.vehicle)
	} else if len(set.Classes) != 2 && name != "vehicle" {
		return p, fmt.Errorf("%s: %d classes, want 2", name, len(set.Classes))
	}
	if n := len(p.y); s.quick && n > quickRows {
		rows := s.sample(p.y, quickRows)
		p.x, _, _ = set.Rows(rows)
		p.y = labelsOf(p.y, rows)
		notes = append(notes, fmt.Sprintf("%d rows", len(p.y)))
	}
	p.note = strings.Join(notes, ", ")
	if p.x, _, err = dataset.Impute(p.x, p.x); err != nil {
		return p, err
	}
	scaler := &scalers.MinMaxScaler{Low: -1, High: 1}
	if err := scaler.Fit(ctx, p.x); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	if p.x, err = scaler.Transform(p.x); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	_, d := p.x.Dims()
	p.candidates, p.learners = kernelsOf(d, s.poly == "1/d"), kernelsOf(d, s.poly != "1")
	return p, nil
}

// kernelsOf returns the paper's four kernels for d columns, with LIBSVM's defaults: γ = 1/d, and tanh without an offset. For the
// polynomial the paper states degree 3 and scale 1, so γ is 1 unless small is true.
func kernelsOf(d int, small bool) []kernels.Kernel {
	gamma := 1 / float64(d)
	poly := kernels.Polynomial{Degree: 3, Gamma: 1, Coef0: 1}
	if small {
		poly.Gamma = gamma
	}
	return []kernels.Kernel{kernels.Linear{}, poly, kernels.RBF{Gamma: gamma}, kernels.Tanh{Gamma: gamma}}
}

// group merges several classes into two. It returns 1 for the classes in named, which are joined by +, and 0 for the others.
func group(set *dataset.Set, named string) ([]int, error) {
	first := strings.Split(named, "+")
	for _, c := range first {
		if !slices.Contains(set.Classes, c) {
			return nil, fmt.Errorf("-vehicle: %q is none of %s, nor rest", c, strings.Join(set.Classes, ", "))
		}
	}
	out := make([]int, len(set.Labels))
	for i, l := range set.Labels {
		if slices.Contains(first, set.Classes[l]) {
			out[i] = 1
		}
	}
	return out, nil
}

// sample draws about n rows and returns them in ascending order. Each class keeps its proportion.
func (s settings) sample(y []int, n int) []int {
	rng := rand.New(rand.NewPCG(s.seed, 0))
	byClass := map[int][]int{}
	for i, l := range y {
		byClass[l] = append(byClass[l], i)
	}
	var out []int
	for class := 0; class <= slices.Max(y); class++ {
		rows := byClass[class]
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		share := float64(n) * float64(len(rows)) / float64(len(y))
		out = append(out, rows[:int(math.Round(share))]...)
	}
	slices.Sort(out)
	return out
}
