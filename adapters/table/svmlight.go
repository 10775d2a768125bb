package table

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ReadSVMLight reads a file of the format of svmlight and LIBSVM, which may be compressed by gzip: a row is a target and the features
// that are not 0, as in
//
//	1 qid:3 1:0.5 7:2 # a comment
//
// The matrix has a column for each number of a feature from 1, or 0, to the largest one, called by it, and holds all zeros: 8 bytes a
// cell. Of Options, which may be nil, Task says what the target is for, Schema reads further rows to the same columns, and the rest is
// not used. Qid is the group of a row, if the first row has one.
//
// Errors, with the line: ErrParam for what is no number, for numbers of features that do not ascend, and for a feature that the Schema
// does not have; ErrNotFinite; ErrTooLarge for a matrix above 8 GiB; ErrShape for no rows; and those of the file system.
func ReadSVMLight(path string, o *Options) (*Table, error) { return readFile(path, o, ParseSVMLight) }

// ParseSVMLight is ReadSVMLight for a reader; the name, which may be a file's, stands in the errors.
func ParseSVMLight(name string, r io.Reader, o *Options) (*Table, error) {
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	if options.Target != "" || options.Group != "" || options.Weight != "" || options.Drop != nil || options.Kinds != nil {
		return nil, fault.Param(name, "Options", "columns", "Task and Schema only: the format has no names")
	}
	if r, err = celltext.Unpacked(name, r); err != nil {
		return nil, err
	}
	in := &sparseRows{name: name, first: 1}
	lines := bufio.NewReader(r)
	for end := false; !end; {
		text, err := lines.ReadString('\n')
		if end = err == io.EOF; err != nil && !end {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in.line++
		text, _, _ = strings.Cut(text, "#")
		if words := strings.Fields(text); len(words) > 0 {
			if err := in.add(words); err != nil {
				return nil, err
			}
		}
	}
	if len(in.ends) == 0 {
		return nil, noRows(name)
	}
	return in.table(options)
}

// sparseTarget is the name of the target, which the format does not give.
const sparseTarget = "target"

// sparseRows are the rows of a file.
type sparseRows struct {
	name    string
	line    int
	targets *Cells
	groups  []int
	numbers []int // of features
	values  []float64
	ends    []int // of each row among the features
	lines   []int
	first   int // the least number of a feature: 0 or 1
	last    int
}

func (s *sparseRows) place() string { return fmt.Sprintf("%s:%d", s.name, s.line) }

// add takes in a row.
func (s *sparseRows) add(words []string) error {
	if s.targets == nil {
		s.targets = &Cells{name: sparseTarget}
	}
	text := strings.TrimPrefix(words[0], "+")
	target, err := s.number("target", text)
	if err != nil {
		return err
	}
	kind := celltext.Number
	if target == math.Trunc(target) && math.Abs(target) < 1e15 { // so that 1 and 1.0 are one class
		kind, text = celltext.Integer, strconv.FormatFloat(target, 'f', -1, 64)
	}
	s.targets.add(celltext.Cell{Kind: kind, Value: target}, text, s.line)
	words = words[1:]
	hasGroup := len(words) > 0 && strings.HasPrefix(words[0], "qid:")
	if hasGroup != (s.groups != nil) && s.ends != nil {
		return fault.Param(s.place(), "qid", hasGroup, "one in each row, or in none")
	}
	if hasGroup {
		group, err := strconv.Atoi(words[0][len("qid:"):])
		if err != nil {
			return fault.Param(s.place(), "qid", strconv.Quote(celltext.Short(words[0])), "a whole number")
		}
		s.groups, words = append(s.groups, group), words[1:]
	}
	before := -1
	for _, w := range words {
		left, right, _ := strings.Cut(w, ":")
		k, err := strconv.Atoi(left)
		if err != nil || k <= before || k > math.MaxInt32 {
			return fault.Param(s.place(), "feature", strconv.Quote(celltext.Short(w)), "number:value, with numbers that ascend from 0 or 1")
		}
		v, err := s.number("feature "+left, right)
		if err != nil {
			return err
		}
		s.numbers, s.values = append(s.numbers, k), append(s.values, v)
		s.first, s.last, before = min(s.first, k), max(s.last, k), k
	}
	s.ends, s.lines = append(s.ends, len(s.numbers)), append(s.lines, s.line)
	return nil
}

func (s *sparseRows) number(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, fmt.Errorf("%s: %s: %.40s: %w", s.place(), what, text, fault.ErrNotFinite)
	case err != nil:
		return 0, fault.Param(s.place(), what, strconv.Quote(celltext.Short(text)), "a number")
	}
	return v, nil
}

// table makes a matrix of all rows.
func (s *sparseRows) table(o Options) (*Table, error) {
	schema := o.Schema
	if schema == nil {
		var err error
		if schema, err = s.learn(o); err != nil {
			return nil, err
		}
	}
	columns := make(map[int]int, s.last+1)
	for j, name := range schema.Names() {
		k, err := strconv.Atoi(name)
		if err != nil {
			return nil, fault.Param(s.name, "Options.Schema", strconv.Quote(name), "columns that are numbers of features")
		}
		columns[k] = j
	}
	d := len(columns)
	if err := check.Numbers(fmt.Sprintf("%s: a matrix of %d rows and %d columns", s.name, len(s.ends), d), float64(len(s.ends))*float64(d),
		"leave features out of the file"); err != nil {
		return nil, err
	}
	out := &Table{Schema: schema, X: mat.NewDense(len(s.ends), d, nil), Groups: s.groups, Unseen: map[string]int{}}
	from := 0
	for i, end := range s.ends {
		for ; from < end; from++ {
			j, ok := columns[s.numbers[from]]
			if !ok {
				return nil, fault.Param(fmt.Sprintf("%s:%d", s.name, s.lines[i]), "feature", s.numbers[from],
					fmt.Sprintf("one of the %d of the schema", d))
			}
			out.X.Set(i, j, s.values[from])
		}
	}
	c, ok := schema.Target()
	if !ok {
		return nil, fault.Param(s.name, "Options.Schema", "no target", "the schema of such a file")
	}
	rows := &intake{input: s.name, options: o, places: s.lines, rows: len(s.ends)}
	return out, rows.encodeTarget(out, c, s.targets)
}

// learn makes a schema.
func (s *sparseRows) learn(o Options) (*Schema, error) {
	d := s.last - s.first + 1
	if s.numbers == nil {
		return nil, fault.Shape(s.name+": the rows have", 0, "features that are not 0", "want at least 1")
	}
	if err := check.Names("table: "+s.name, d); err != nil {
		return nil, err
	}
	o.Target = sparseTarget
	rows := &intake{input: s.name, options: o, columns: []*Cells{s.targets}, places: s.lines, rows: len(s.ends)}
	target := Column{Name: sparseTarget, Role: Target}
	task, err := rows.learnTarget(s.targets, rows.surveyed(rows.surveys())[sparseTarget], &target)
	if err != nil {
		return nil, err
	}
	out := &Schema{Task: task, Columns: slices.Grow([]Column{target}, d)}
	for k := s.first; k <= s.last; k++ {
		out.Columns = append(out.Columns, Column{Name: strconv.Itoa(k), Kind: Number, Note: "0 where a row has none"})
	}
	return out, nil
}
