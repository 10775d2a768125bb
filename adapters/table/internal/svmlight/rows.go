// Package svmlight reads the rows of files in the format of svmlight and LIBSVM.
package svmlight

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Rows holds the rows of a file.
type Rows struct {
	Targets  []float64
	Groups   []int // the qid of each row, or nil
	Features []int // the numbers of the features of all rows
	Values   []float64
	Ends     []int // the end of each row in Features and Values
	Lines    []int // the line of each row, counted from 1
	First    int   // the smallest number of a feature, 0 or 1
	Last     int   // the largest number of a feature

	name string
	line int
}

// Read reads a file. Errors contain the name and the line. Read returns ErrParam for text that is not a row, ErrNotFinite, and the
// errors of r.
func Read(name string, r io.Reader) (*Rows, error) {
	out := &Rows{name: name, First: 1}
	lines := bufio.NewReader(r)
	for end := false; !end; {
		text, err := lines.ReadString('\n')
		if end = err == io.EOF; err != nil && !end {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.line++
		text, _, _ = strings.Cut(text, "#")
		if words := strings.Fields(text); len(words) > 0 {
			if err := out.add(words); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (r *Rows) place() string { return fmt.Sprintf("%s:%d", r.name, r.line) }

// add appends a row.
func (r *Rows) add(words []string) error {
	target, err := r.number("target", strings.TrimPrefix(words[0], "+"))
	if err != nil {
		return err
	}
	words = words[1:]
	hasGroup := len(words) > 0 && strings.HasPrefix(words[0], "qid:")
	if hasGroup != (r.Groups != nil) && r.Ends != nil {
		return fault.Param(r.place(), "qid", hasGroup, "one in each row, or in no row")
	}
	if hasGroup {
		group, err := strconv.Atoi(words[0][len("qid:"):])
		if err != nil {
			return fault.Param(r.place(), "qid", strconv.Quote(celltext.Short(words[0])), "a whole number")
		}
		r.Groups, words = append(r.Groups, group), words[1:]
	}
	before := -1
	for _, w := range words {
		left, right, _ := strings.Cut(w, ":")
		k, err := strconv.Atoi(left)
		if err != nil || k <= before || k > math.MaxInt32 {
			return fault.Param(r.place(), "feature", strconv.Quote(celltext.Short(w)), "number:value, with numbers that ascend from 0 or 1")
		}
		v, err := r.number("feature "+left, right)
		if err != nil {
			return err
		}
		r.Features, r.Values = append(r.Features, k), append(r.Values, v)
		r.First, r.Last, before = min(r.First, k), max(r.Last, k), k
	}
	r.Targets, r.Ends, r.Lines = append(r.Targets, target), append(r.Ends, len(r.Features)), append(r.Lines, r.line)
	return nil
}

func (r *Rows) number(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, fmt.Errorf("%s: %s: %.40s: %w", r.place(), what, text, fault.ErrNotFinite)
	case err != nil:
		return 0, fault.Param(r.place(), what, strconv.Quote(celltext.Short(text)), "a number")
	}
	return v, nil
}
