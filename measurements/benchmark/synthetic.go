package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	syntheticName = "friedman1"
	// Sizes are halved from the one that is asked for down to this, and not tested on
	// more rows than these.
	smallestSize  = 250
	syntheticTest = 1000
	// leastSeconds is what a fit has to take to count for an exponent: below it is the
	// clock and what does not grow with the rows.
	leastSeconds = 0.005
)

// sizesOf reads friedman1:ROWSxCOLUMNS.
func sizesOf(text string) (sizes []int, columns int, err error) {
	var rows int
	if n, _ := fmt.Sscanf(text, syntheticName+":%dx%d", &rows, &columns); n != 2 || text != fmt.Sprintf("%s:%dx%d", syntheticName, rows,
		columns) {
		return nil, 0, fmt.Errorf("-synthetic %s: want %s:ROWSxCOLUMNS", text, syntheticName)
	}
	if rows < smallestSize || columns < 5 {
		return nil, 0, fmt.Errorf("-synthetic %s: want at least %d rows and 5 columns", text, smallestSize)
	}
	for n := rows; n >= smallestSize; n /= 2 {
		sizes = append(sizes, n)
	}
	slices.Reverse(sizes)
	return sizes, columns, nil
}

// prepareSynthetic writes rows of Friedman's first function; each split is a draw of its
// own. Of a smaller size they are the first of those of a larger one, and the test rows
// are the same.
func (s settings) prepareSynthetic() ([]prepared, error) {
	if err := s.writeSplitsReadme(); err != nil {
		return nil, err
	}
	most := s.sizes[len(s.sizes)-1]
	test := make([]int, syntheticTest)
	for i := range test {
		test[i] = i
	}
	var out []prepared
	for i, n := range s.sizes {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d", syntheticName, n, s.columns, s.seed))
		name := fmt.Sprintf("%s-%dx%d", syntheticName, n, s.columns)
		out = append(out, prepared{
			folder: filepath.Join(s.out, "splits", name), round: i * s.splits, lineage: syntheticName, splits: s.splits,
			description: description{
				Set: name, SHA256: hex.EncodeToString(sum[:]), Task: regressionTask, Target: "y", Rows: n + syntheticTest,
				Features: s.columns,
				Seed:     s.seed, MaxRows: n, Available: n, TrainRows: n, TestRows: syntheticTest,
			},
		})
	}
	for split := range s.splits {
		set := &dataset.Set{Target: "y"}
		set.X, set.Y = dataset.Friedman1(syntheticTest+most, s.columns, s.seed+uint64(split))
		for j := range s.columns {
			set.Columns = append(set.Columns, "x"+strconv.Itoa(j+1))
		}
		for i := range set.Y {
			set.Records = append(set.Records, i+1)
		}
		for i, p := range out {
			if err := os.MkdirAll(p.folder, 0o755); err != nil {
				return nil, err
			}
			if err := ensureJSON(filepath.Join(p.folder, "set.json"), p.description); err != nil {
				return nil, err
			}
			train := make([]int, s.sizes[i])
			for k := range train {
				train[k] = syntheticTest + k
			}
			if err := p.writeSplit(set, split, validation.Fold{Train: train, Test: test}); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// growth is how the cost of a method grew with the rows.
type growth struct {
	Method string  `json:"method"`
	Source string  `json:"source"`
	Most   int     `json:"most_rows"` // that it was fitted on within the budget
	Error  float64 `json:"nmse_there"`
	// Fit and Predict are the exponents; nil with fewer than three sizes that count.
	Fit     *exponent `json:"fit,omitempty"`
	Predict *exponent `json:"predict,omitempty"`
}

// exponent is p of seconds = c·rows^p.
type exponent struct {
	Value         float64 `json:"value"`
	StandardError float64 `json:"standard_error"`
	Sizes         int     `json:"sizes"`
}

// grow fits the exponents of all methods.
func (r *report) grow() {
	var names []string
	for _, s := range r.Summary {
		if !slices.Contains(names, s.Method) {
			names = append(names, s.Method)
		}
	}
	for _, name := range names {
		g := growth{Method: name, Source: sourceOf(name)}
		var fit, predict [2][]float64
		for i, d := range r.Sets {
			s, ok := r.summaryOn(d.Set, name)
			if !ok || s.OK < r.Settings.Splits {
				continue
			}
			g.Most, g.Error = r.Sets[i].TrainRows, s.Measures["NMSE"].Mean
			for _, c := range []struct {
				seconds float64
				to      *[2][]float64
			}{{*s.FitSeconds, &fit}, {*s.PredictSeconds, &predict}} {
				if c.seconds >= leastSeconds {
					c.to[0], c.to[1] = append(c.to[0], float64(d.TrainRows)), append(c.to[1], c.seconds)
				}
			}
		}
		g.Fit, g.Predict = exponentOf(fit), exponentOf(predict)
		r.Growth = append(r.Growth, g)
	}
}

func exponentOf(points [2][]float64) *exponent {
	if len(points[0]) < 3 {
		return nil
	}
	e := exponent{Sizes: len(points[0])}
	e.Value, e.StandardError = growthOf(points[0], points[1])
	return &e
}

func (r *report) summaryOn(set, method string) (summary, bool) {
	i := slices.IndexFunc(r.Summary, func(s summary) bool { return s.Set == set && s.Method == method })
	if i < 0 {
		return summary{}, false
	}
	return r.Summary[i], true
}
