package protocol

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/selection/validation"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

const splitsReadme = `# Splits

A folder for each set. ` + "`NN-train.csv` and `NN-test.csv`" + ` are the two parts of split NN: a header, all cells
numbers, gaps filled by the median of the training rows, words as columns of 0 and 1, nothing scaled, the target
last. In the third collection gaps are NaN, and words are codes in the columns of ` + "`categories` of `set.json`" + `.
A class is its position, from 0, in ` + "`classes` of `set.json`" + `. ` + "`NN-records.csv`" + ` states which record of the
data file each row is, from 1 under the header. A method scales its features itself, by what it learns from the training
rows.
`

// Description is the contents of a set's file set.json.
type Description struct {
	Set        string   `json:"set"`
	Collection string   `json:"collection,omitempty"`
	SHA256     string   `json:"sha256"` // checksum of the data file
	Task       string   `json:"task"`
	Target     string   `json:"target"`
	Classes    []string `json:"classes,omitempty"`
	Positive   string   `json:"positive,omitempty"`
	Smallest   float64  `json:"smallest_class_share,omitempty"`
	Rows       int      `json:"rows"`
	Features   int      `json:"features"`
	Seed       uint64   `json:"seed"`
	MaxRows    int      `json:"max_rows"` // 0 if there is no limit, or if it exceeds the number of rows
	Available  int      `json:"training_rows_available"`
	TrainRows  int      `json:"training_rows"`
	TestRows   int      `json:"test_rows"`
	// Categories holds the columns of categories, whose cells are codes. It is set only for sets of the third collection, which also
	// keep their gaps as NaN.
	Categories []int `json:"categories,omitempty"`
	Gaps       bool  `json:"gaps,omitempty"`
}

// Prepared is a set whose splits have been written.
type Prepared struct {
	Description
	folder  string
	splits  int
	round   int    // round of the first split
	lineage string // name of the sets on which the time of a method grows
}

func (p Prepared) path(split int, kind string) string {
	return filepath.Join(p.folder, fmt.Sprintf("%02d-%s.csv", split, kind))
}

// prepare reads a set, draws its splits and writes them. It returns an error if existing splits differ.
func (s Settings) prepare(one NamedSet) (Prepared, error) {
	name, open := one.Name, dataset.Open
	if one.Collection == SecondCollection {
		open = dataset.OpenByRule
	}
	var categories []int
	if one.Collection == ThirdCollection {
		open = func(dir, name string) (set *dataset.Set, err error) {
			set, categories, err = openTable(dir, name)
			return set, err
		}
	}
	set, err := open(one.Folder, name)
	if err != nil {
		return Prepared{}, err
	}
	n, d := set.X.Dims()
	splits := s.SplitsOf(n)
	folds, err := s.split(set, splits)
	if err != nil {
		return Prepared{}, fmt.Errorf("%s: %w", name, err)
	}
	p := Prepared{folder: filepath.Join(s.Out, "splits", name), lineage: name, splits: splits, Description: Description{
		Set: name, Collection: one.Collection, SHA256: set.SHA256, Task: methods.RegressionTask, Target: set.Target, Classes: set.Classes,
		Positive: set.Positive,
		Rows:     n, Features: d, Seed: s.Seed, MaxRows: s.limitOf(len(folds[0].Train)),
		Available: len(folds[0].Train), TrainRows: s.cut(len(folds[0].Train)), TestRows: len(folds[0].Test),
		Categories: categories, Gaps: one.Collection == ThirdCollection && slices.ContainsFunc(set.X.RawMatrix().Data, math.IsNaN),
	}}
	if set.Classes != nil {
		p.Task, p.Smallest = methods.ClassificationTask, smallestShare(set)
	}
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return Prepared{}, err
	}
	if err := s.writeSplitsReadme(); err != nil {
		return Prepared{}, err
	}
	if err := ensureJSON(filepath.Join(p.folder, "set.json"), p.Description); err != nil {
		return Prepared{}, err
	}
	for i, fold := range folds {
		fold.Train = subset(fold.Train, set.Labels, s.cut(len(fold.Train)), s.Seed, uint64(i))
		if err := p.writeSplit(set, i, fold); err != nil {
			return Prepared{}, err
		}
	}
	return p, nil
}

// openTable reads name.csv from dir as a user of package table does. It also returns the columns of categories.
func openTable(dir, name string) (*dataset.Set, []int, error) {
	path := filepath.Join(dir, name+".csv")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	t, err := table.ParseCSV(path, bytes.NewReader(content), &table.Options{TargetLast: true})
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(content)
	target, _ := t.Schema.Target()
	set := &dataset.Set{Name: name, X: t.X, Columns: t.Schema.Names(), Target: target.Name, Y: t.Targets, Labels: t.Labels,
		Classes: t.Schema.Classes(), SHA256: hex.EncodeToString(sum[:])}
	if t.Labels == nil {
		set.Classes = nil
	}
	if len(set.Classes) == 2 {
		set.Positive = set.Classes[1]
	}
	for i := range t.Rows() {
		set.Records = append(set.Records, i+1)
	}
	return set, t.Schema.Categories(), nil
}

// smallestShare returns the share of rows that are in the smallest class.
func smallestShare(set *dataset.Set) float64 {
	counts := make([]int, len(set.Classes))
	for _, l := range set.Labels {
		counts[l]++
	}
	return float64(slices.Min(counts)) / float64(len(set.Labels))
}

func (s Settings) writeSplitsReadme() error {
	folder := filepath.Join(s.Out, "splits")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return ensureSame(filepath.Join(folder, "README.md"), []byte(splitsReadme))
}

// The numbers of splits if -splits is not given. A set with a large test part needs fewer.
const (
	fewRows                = 1000
	FewSplits, leastSplits = 10, 3
)

var SplitsBySize = fmt.Sprintf("%d of sets up to %d rows, %d of larger ones", FewSplits, fewRows, leastSplits)

// limitOf returns the value of -rows for a set with more training rows than that. It returns 0 for other sets, whose cells are the
// same without -rows.
func (s Settings) limitOf(rows int) int {
	if rows <= s.MaxRows {
		return 0
	}
	return s.MaxRows
}

// cut returns the number of training rows that are used.
func (s Settings) cut(rows int) int {
	if s.MaxRows == 0 {
		return rows
	}
	return min(rows, s.MaxRows)
}

// split draws the splits. A split does not depend on the number of splits.
func (s Settings) split(set *dataset.Set, splits int) ([]validation.Fold, error) {
	n, _ := set.X.Dims()
	if set.Classes != nil {
		return validation.StratifiedShuffleSplit{Splits: splits, Seed: s.Seed}.Split(n, set.Labels)
	}
	return validation.ShuffleSplit{Splits: splits, Seed: s.Seed}.Split(n, nil)
}

// subset returns at most size of the rows, drawn at random, in their original order. If labels is not nil, each class keeps its
// proportion.
func subset(rows, labels []int, size int, seed, stream uint64) []int {
	if len(rows) <= size {
		return rows
	}
	r := rand.New(rand.NewPCG(seed, 0x737562736574+stream)) // the streams "subset", "subset"+1, ...
	drawn := make([]int, len(rows))
	for i, at := range r.Perm(len(rows)) {
		drawn[i] = rows[at]
	}
	if labels != nil {
		drawn = interleave(drawn, labels)
	}
	out := slices.Clone(drawn[:size])
	slices.Sort(out)
	return out
}

// interleave orders rows so that any number of first rows contains each class in about its proportion. It keeps the order within a
// class.
func interleave(rows, labels []int) []int {
	byClass := map[int][]int{}
	for _, row := range rows {
		byClass[labels[row]] = append(byClass[labels[row]], row)
	}
	type placed struct {
		row int
		at  float64 // position among all rows, from 0 to 1
	}
	var all []placed
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		own := byClass[class]
		for i, row := range own {
			all = append(all, placed{row, (float64(i) + .5) / float64(len(own))})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := make([]int, len(all))
	for i, p := range all {
		out[i] = p.row
	}
	return out
}

func (p Prepared) writeSplit(set *dataset.Set, i int, fold validation.Fold) error {
	train, trainY, trainLabels := set.Rows(fold.Train)
	test, testY, testLabels := set.Rows(fold.Test)
	if p.Collection != ThirdCollection {
		var err error
		if train, test, err = dataset.Impute(train, test); err != nil {
			return err
		}
	}
	var records bytes.Buffer
	records.WriteString("part,record\n")
	for _, part := range []struct {
		kind   string
		rows   []int
		x      *mat.Dense
		y      []float64
		labels []int
	}{{"train", fold.Train, train, trainY, trainLabels}, {"test", fold.Test, test, testY, testLabels}} {
		content, err := encodeRows(set, part.x, part.y, part.labels)
		if err != nil {
			return err
		}
		if err := ensureSame(p.path(i, part.kind), content); err != nil {
			return err
		}
		for _, r := range part.rows {
			fmt.Fprintf(&records, "%s,%d\n", part.kind, set.Records[r])
		}
	}
	return ensureSame(p.path(i, "records"), records.Bytes())
}

// encodeRows writes numbers with all digits, so that they are read back exactly.
func encodeRows(set *dataset.Set, x *mat.Dense, y []float64, labels []int) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(append(slices.Clone(set.Columns), set.Target)); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	record := make([]string, d+1)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			record[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if labels != nil {
			record[d] = strconv.Itoa(labels[i])
		} else {
			record[d] = strconv.FormatFloat(y[i], 'g', -1, 64)
		}
		if err := w.Write(record); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// ReadRows reads a file that contains the output of encodeRows.
func ReadRows(path string) (x *mat.Dense, y []float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	d := len(header) - 1
	var features []float64
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		for j, cell := range record {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				line, _ := r.FieldPos(j)
				return nil, nil, fmt.Errorf("%s: line %d: %w", path, line, err)
			}
			if j < d {
				features = append(features, v)
			} else {
				y = append(y, v)
			}
		}
	}
	if len(features) == 0 {
		return nil, nil, fmt.Errorf("%s: no rows or no features", path)
	}
	return mat.NewDense(len(y), d, features), y, nil
}

// ensureSame writes a file if it is missing. It returns an error if the file exists with other contents.
func ensureSame(path string, content []byte) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return atomicfile.Write(path, func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
	}
	if err == nil && !bytes.Equal(old, content) {
		err = fmt.Errorf("%s is not what this run would write: take another -out", path)
	}
	return err
}

// PrepareAll writes the splits of all sets.
func (s Settings) PrepareAll(ctx context.Context) ([]Prepared, error) {
	if s.Sizes != nil {
		return s.prepareSynthetic()
	}
	var out []Prepared
	for _, one := range s.Sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := s.prepare(one)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
