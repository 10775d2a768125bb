package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// cell identifies a unit of computation: a method on one fold of a set.
type cell struct {
	set           string
	repeat, fold  int
	method, extra string // extra holds other settings that affect the scores
}

func (c cell) fields() []string {
	return []string{c.set, strconv.Itoa(c.repeat), strconv.Itoa(c.fold), c.method, c.extra}
}

// results holds the scores of finished cells, and the file that stores them.
type results struct {
	mu   sync.Mutex
	done map[cell][]score
	file *os.File // nil without a file
}

// openResults reads a file with earlier results, if there is one. If the command was interrupted, the last line may be incomplete.
// The cell of an incomplete line is computed again.
func openResults(path string) (*results, error) {
	r := &results{done: map[cell][]score{}}
	if path == "" {
		return r, nil
	}
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := content[:strings.LastIndexByte(string(content), '\n')+1]
	reader := csv.NewReader(strings.NewReader(string(whole)))
	reader.FieldsPerRecord = -1 // the number of fields depends on the grid
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
		return nil, err
	}
	_, err = r.file.Seek(0, io.SeekEnd)
	return r, err
}

// take parses a line that holds a cell, followed by its points and scores.
func (r *results) take(line []string) error {
	if len(line) < 7 || len(line)%2 == 0 {
		return fmt.Errorf("%d fields, want a cell and pairs of point and score", len(line))
	}
	repeat, err := strconv.Atoi(line[1])
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(line[2])
	if err != nil {
		return err
	}
	c := cell{line[0], repeat, number, line[3], line[4]}
	for i := 5; i < len(line); i += 2 {
		v, err := strconv.ParseFloat(line[i+1], 64)
		if err != nil {
			return err
		}
		r.done[c] = append(r.done[c], score{line[i], v})
	}
	return nil
}

// put saves the scores of a cell.
func (r *results) put(c cell, scores []score) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[c] = scores
	if r.file == nil {
		return nil
	}
	line := c.fields()
	for _, s := range scores {
		line = append(line, s.point, strconv.FormatFloat(s.gmean, 'g', 8, 64))
	}
	w := csv.NewWriter(r.file)
	if err := w.Write(line); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// cell returns the key of a cell's scores, which includes the settings that affect them.
func (s settings) cell(set *dataset.Set, repeat, number int, method string) cell {
	name := "paper"
	if s.quick {
		name = "quick"
	}
	return cell{set.Name, repeat, number, method, fmt.Sprintf("%s grid, %d folds, seed %d, data %.8s", name, s.folds, s.seed, set.SHA256)}
}

// gmeans prints the tables. With -report it prints only those of finished cells.
func (s settings) gmeans(ctx context.Context, out io.Writer, progress io.Writer, sets []*dataset.Set) error {
	r, err := openResults(s.results)
	if err != nil {
		return err
	}
	if r.file != nil {
		defer r.file.Close()
	}
	if s.report {
		return s.tables(out, r, sets)
	}
	bar := progressbar.New(progress, "folds", len(sets)*len(s.methods)*s.folds*s.repeats)
	for _, set := range sets {
		if err := s.evaluate(ctx, r, set, func() { bar.Add(1) }); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	bar.Finish()
	return s.tables(out, r, sets)
}

// evaluate computes the unfinished cells of a set.
func (s settings) evaluate(ctx context.Context, r *results, set *dataset.Set, done func()) error {
	y := positive(set)
	for repeat := range s.repeats {
		folds, err := validation.StratifiedKFold{Folds: s.folds, Seed: s.seed + 1000*uint64(repeat)}.Split(len(y), y)
		if err != nil {
			return err
		}
		type job struct {
			cell cell
			m    method
			at   int
		}
		var jobs []job
		for at := range folds {
			for _, m := range methods {
				c := s.cell(set, repeat, at, m.name)
				if !slices.Contains(s.methods, m.name) {
					continue
				}
				if _, ok := r.done[c]; ok {
					done()
				} else {
					jobs = append(jobs, job{c, m, at})
				}
			}
		}
		err = parallel.ForEach(ctx, s.workers, len(jobs), func(i int) error {
			j := jobs[i]
			f, err := prepare(ctx, set, y, folds[j.at])
			if err != nil {
				return err
			}
			f.seed = s.seed + 1000*uint64(repeat) + uint64(j.at)
			scores, err := j.m.score(ctx, f, gridOf(s.quick))
			if err != nil {
				return fmt.Errorf("%s, fold %d: %w", j.m.name, j.at, err)
			}
			done()
			return r.put(j.cell, scores)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare replaces missing values and scales columns, both with statistics of the training rows.
func prepare(ctx context.Context, set *dataset.Set, y []int, of validation.Fold) (fold, error) {
	var f fold
	rows := func(index []int) (*mat.Dense, []int) {
		_, d := set.X.Dims()
		x, labels := mat.NewDense(len(index), d, nil), make([]int, len(index))
		for i, r := range index {
			x.SetRow(i, set.X.RawRowView(r))
			labels[i] = y[r]
		}
		return x, labels
	}
	train, trainLabels := rows(of.Train)
	test, testLabels := rows(of.Test)
	train, test, err := dataset.Impute(train, test)
	if err != nil {
		return f, err
	}
	f.y, f.truth = trainLabels, testLabels
	for _, scaled := range []struct {
		by transformers.Transformer
		to *[2]*mat.Dense
	}{{&scalers.MinMaxScaler{}, &f.unit}, {&scalers.StandardScaler{}, &f.standard}} {
		if err := scaled.by.Fit(ctx, train); err != nil {
			return f, err
		}
		for part, x := range []*mat.Dense{train, test} {
			if scaled.to[part], err = scaled.by.Transform(x); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// summary holds the results of a method on a set.
type summary struct {
	best, error float64 // mean of the best point in percent, and its standard error
	point       string
	others      float64 // mean if the point is chosen by all other folds
	repeats     int     // complete cross-validations
}

// summarise summarises the complete cross-validations of a method on a set. ok is false if none is complete.
func (s settings) summarise(r *results, set *dataset.Set, name string) (out summary, ok bool) {
	var all [][]score
	for repeat := range s.repeats {
		var one [][]score
		for at := range s.folds {
			if scores, ok := r.done[s.cell(set, repeat, at, name)]; ok {
				one = append(one, scores)
			}
		}
		if len(one) == s.folds {
			all = append(all, one...)
			out.repeats++
		}
	}
	if out.repeats == 0 {
		return out, false
	}
	n := float64(len(all))
	total := make([]float64, len(all[0]))
	for _, scores := range all {
		for p, v := range scores {
			total[p] += 100 * v.gmean
		}
	}
	best := 0
	for p, v := range total {
		if v > total[best] {
			best = p
		}
	}
	out.best, out.point = total[best]/n, all[0][best].point
	for _, scores := range all {
		d := 100*scores[best].gmean - out.best
		out.error += d * d
		chosen := 0
		for p := range total {
			if total[p]-100*scores[p].gmean > total[chosen]-100*scores[chosen].gmean {
				chosen = p
			}
		}
		out.others += 100 * scores[chosen].gmean / n
	}
	out.error = math.Sqrt(out.error / (n - 1) / n)
	return out, true
}

// tables prints the tables from all complete cross-validations.
func (s settings) tables(out io.Writer, r *results, sets []*dataset.Set) error {
	found := map[string]map[string]summary{}
	for _, set := range sets {
		found[set.Name] = map[string]summary{}
		for _, m := range s.methods {
			if v, ok := s.summarise(r, set, m); ok {
				found[set.Name][m] = v
			}
		}
	}
	fmt.Fprintf(out, "GMean in %%, %d-fold stratified cross-validation, %d times, at the point of the grid that is best on the test "+
		"folds\n\n", s.folds, s.repeats)
	if err := s.print(out, sets, found, func(v summary, _ float64) string { return fmt.Sprintf("%.1f", v.best) + s.fewer(v) },
		func(v summary, _ float64) float64 { return v.best }); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nthe same, at the point that is best on all other folds\n\n")
	if err := s.print(out, sets, found, func(v summary, _ float64) string { return fmt.Sprintf("%.1f", v.others) + s.fewer(v) },
		func(v summary, _ float64) float64 { return v.others }); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nthe first table minus the figures of the independent implementation; in brackets the standard error of the "+
		"difference,\n"+
		"if the folds of its one run vary as ours do; ! where ours is lower by more than two standard errors\n\n")
	if err := s.print(out, sets, found, func(v summary, of float64) string {
		if math.IsNaN(of) {
			return ""
		}
		mark, spread := "", v.error*math.Sqrt(1+float64(v.repeats))
		if v.best-of < -2*spread {
			mark = " !"
		}
		return fmt.Sprintf("%+.1f (%.1f)%s", v.best-of, spread, mark)
	}, func(v summary, of float64) float64 { return v.best - of }); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nthe best points\n\n")
	return s.print(out, sets, found, func(v summary, _ float64) string { return v.point }, nil)
}

// fewer returns the number of complete cross-validations in brackets, or "" if all are complete.
func (s settings) fewer(v summary) string {
	if v.repeats == s.repeats {
		return ""
	}
	return fmt.Sprintf(" [%d]", v.repeats)
}

// print prints a value for each set and method. If average is not nil, the last line contains its mean for each method, over the
// sets that have an independent figure for the method.
func (s settings) print(
	out io.Writer, sets []*dataset.Set, found map[string]map[string]summary, show func(v summary, of float64) string,
	average func(v summary, of float64) float64,
) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "set\t%s\n", strings.Join(s.methods, "\t"))
	sum, count := map[string]float64{}, map[string]float64{}
	for _, set := range sets {
		fmt.Fprint(w, set.Name)
		for _, m := range s.methods {
			v, ok := found[set.Name][m]
			if !ok {
				fmt.Fprint(w, "\t")
				continue
			}
			of := referenceOf(set.Name, m)
			fmt.Fprint(w, "\t", show(v, of))
			if average != nil && !math.IsNaN(of) {
				sum[m] += average(v, of)
				count[m]++
			}
		}
		fmt.Fprintln(w)
	}
	if average != nil && len(count) > 0 {
		fmt.Fprint(w, "mean where compared")
		for _, m := range s.methods {
			if count[m] == 0 {
				fmt.Fprint(w, "\t")
			} else {
				fmt.Fprintf(w, "\t%.2f (%.0f)", sum[m]/count[m], count[m])
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// referenceOf returns the independent figure, or NaN if there is none. The independent figures do not state the activation of WELM.
func referenceOf(set, method string) float64 {
	if strings.HasPrefix(method, "welm-") {
		method = "welm"
	}
	if v, ok := reference[set][method]; ok {
		return v
	}
	return math.NaN()
}
