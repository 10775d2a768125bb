package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table/internal/svmlight"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// ReadSVMLight reads a file in the format of svmlight and LIBSVM, optionally compressed with gzip. A row is a target and its
// nonzero features, as in
//
//	1 qid:3 1:0.5 7:2 # a comment
//
// The matrix has a column for each feature number from 1, or 0, to the largest one, with the number as its name. It also stores
// zeros, and needs 8 bytes for each cell. Options may be nil. Task sets the task of the target, Schema reads further rows into the
// same columns, and the other fields are not used. The qid is the group of a row, if the first row has a qid.
//
// ReadSVMLight returns ErrParam for text that is not a number, for feature numbers that do not ascend, and for a feature that the
// Schema does not list. It returns ErrNotFinite, ErrTooLarge for a matrix above 8 GiB, ErrShape for no rows, and errors of the file
// system. Errors name the line.
func ReadSVMLight(path string, o *Options) (*Table, error) { return readFile(path, o, ParseSVMLight) }

// ParseSVMLight is like ReadSVMLight, but reads from r. Errors contain name, which may be that of a file.
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
	rows, err := svmlight.Read(name, r)
	if err != nil {
		return nil, err
	}
	if len(rows.Ends) == 0 {
		return nil, noRows(name)
	}
	return (&sparseRows{Rows: rows, name: name}).table(options)
}

// sparseTarget is the name of the target, since files in this format contain no names.
const sparseTarget = "target"

// sparseRows converts the rows of a file to a table.
type sparseRows struct {
	*svmlight.Rows
	name string
}

// targets returns the targets as cells. Equal numbers, such as 1 and 1.0, become the same class.
func (s *sparseRows) targets() *Cells {
	out := &Cells{name: sparseTarget}
	for i, v := range s.Targets {
		kind := celltext.Number
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			kind = celltext.Integer
		}
		out.add(celltext.Cell{Kind: kind, Value: v}, strconv.FormatFloat(v, 'f', -1, 64), s.Lines[i])
	}
	return out
}

// table returns the table of all rows.
func (s *sparseRows) table(o Options) (*Table, error) {
	schema := o.Schema
	if schema == nil {
		var err error
		if schema, err = s.learn(o); err != nil {
			return nil, err
		}
	}
	columns := make(map[int]int, s.Last+1)
	for j, name := range schema.Names() {
		k, err := strconv.Atoi(name)
		if err != nil {
			return nil, fault.Param(s.name, "Options.Schema", strconv.Quote(name), "columns that are numbers of features")
		}
		columns[k] = j
	}
	d := len(columns)
	if err := check.Numbers(fmt.Sprintf("%s: a matrix of %d rows and %d columns", s.name, len(s.Ends), d), float64(len(s.Ends))*float64(d),
		"leave features out of the file"); err != nil {
		return nil, err
	}
	out := &Table{Schema: schema, X: mat.NewDense(len(s.Ends), d, nil), Groups: s.Groups, Unseen: map[string]int{}}
	from := 0
	for i, end := range s.Ends {
		for ; from < end; from++ {
			j, ok := columns[s.Features[from]]
			if !ok {
				return nil, fault.Param(fmt.Sprintf("%s:%d", s.name, s.Lines[i]), "feature", s.Features[from],
					fmt.Sprintf("one of the %d of the schema", d))
			}
			out.X.Set(i, j, s.Values[from])
		}
	}
	c, ok := schema.Target()
	if !ok {
		return nil, fault.Param(s.name, "Options.Schema", "no target", "the schema of such a file")
	}
	rows := &intake{input: s.name, options: o, places: s.Lines, rows: len(s.Ends)}
	return out, rows.encodeTarget(out, c, s.targets())
}

// learn returns the schema of the rows.
func (s *sparseRows) learn(o Options) (*Schema, error) {
	d := s.Last - s.First + 1
	if s.Features == nil {
		return nil, fault.Shape(s.name+": the rows have", 0, "features that are not 0", "want at least 1")
	}
	if err := check.Names("table: "+s.name, d); err != nil {
		return nil, err
	}
	o.Target = sparseTarget
	targets := s.targets()
	rows := &intake{input: s.name, options: o, columns: []*Cells{targets}, places: s.Lines, rows: len(s.Ends)}
	target := Column{Name: sparseTarget, Role: Target}
	task, err := rows.learnTarget(targets, rows.surveyed(rows.surveys())[sparseTarget], &target)
	if err != nil {
		return nil, err
	}
	out := &Schema{Task: task, Columns: slices.Grow([]Column{target}, d)}
	for k := s.First; k <= s.Last; k++ {
		out.Columns = append(out.Columns, Column{Name: strconv.Itoa(k), Kind: Number, Note: "0 where a row has none"})
	}
	return out, nil
}
