package arrow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Column is a feature: a column of files that becomes one of the matrix.
type Column struct {
	Name       string   `json:"name"`
	Kind       Kind     `json:"kind"`
	Categories []string `json:"categories,omitempty"` // of the codes 0, 1, ...
}

// Schema says which columns of files are read, and as what: that of [Columns.Learn], or one that is written by hand. It is
// JSON. It is not changed by what reads it, and several may read by it at the same time.
type Schema struct {
	Features []Column `json:"features"` // the columns of the matrix, in their order
	Target   string   `json:"target,omitempty"`
	Label    string   `json:"label,omitempty"`
	Weight   string   `json:"weight,omitempty"`
	// Classes are the texts of the labels 0, 1, ...
	Classes []string `json:"classes,omitempty"`
	// IntegerClasses says that the label's column is of integers, and so are the predictions that are written.
	IntegerClasses bool `json:"integer_classes,omitempty"`
	// UnseenAsGap makes NaN of a category that is not among a feature's; without it that is an error.
	UnseenAsGap bool `json:"unseen_as_gap,omitempty"`
	// RoundIntegers rounds integers beyond ±2⁵³ to the nearest float64; without it they are an error.
	RoundIntegers bool `json:"round_integers,omitempty"`
}

// Names returns the names of the features, the columns of the matrix, such as for estimators.SetColumnNames.
func (s *Schema) Names() []string {
	out := make([]string, len(s.Features))
	for j, c := range s.Features {
		out[j] = c.Name
	}
	return out
}

// Categorical returns the positions of the features that are categories, such as for the Categories of a selection.Regressor.
func (s *Schema) Categorical() (out []int) {
	for j, c := range s.Features {
		if c.Kind == Category {
			out = append(out, j)
		}
	}
	return out
}

// check returns ErrParam for a schema that nothing can be read by.
func (s *Schema) check() error {
	if s == nil || len(s.Features) == 0 {
		return fault.Param("arrow: Schema", "Features", "none", "at least one column")
	}
	if n, ok := celltext.Duplicate(s.Names()); ok {
		return fault.Param("arrow: Schema", "Features", strconv.Quote(n)+" twice", "each column once")
	}
	if err := s.checkTexts(); err != nil {
		return err
	}
	for _, c := range s.Features {
		if _, ok := kindNames[c.Kind]; !ok {
			return fault.Param("arrow: Schema", fmt.Sprintf("Kind of %q", c.Name), int(c.Kind), "Number, Time, Duration or Category")
		}
		if v, ok := celltext.Duplicate(c.Categories); ok {
			return fault.Param("arrow: Schema", fmt.Sprintf("Categories of %q", c.Name), strconv.Quote(v)+" twice", "each once")
		}
	}
	if v, ok := celltext.Duplicate(s.Classes); ok {
		return fault.Param("arrow: Schema", "Classes", strconv.Quote(v)+" twice", "each once")
	}
	return nil
}

// checkTexts returns ErrParam unless all names and categories are UTF-8, as JSON and Parquet have them.
func (s *Schema) checkTexts() error {
	const typ = "arrow: Schema"
	for _, c := range s.Features {
		if err := check.Text(typ, "Features", c.Name); err != nil {
			return err
		}
		if err := check.Text(typ, fmt.Sprintf("Categories of %q", c.Name), c.Categories...); err != nil {
			return err
		}
	}
	if err := check.Text(typ, "Target, Label, Weight", s.Target, s.Label, s.Weight); err != nil {
		return err
	}
	return check.Text(typ, "Classes", s.Classes...)
}

// MarshalJSON implements [json.Marshaler]. Errors: ErrParam for text that is not UTF-8, which encoding/json would change.
func (s Schema) MarshalJSON() ([]byte, error) {
	if err := s.checkTexts(); err != nil {
		return nil, err
	}
	type fields Schema // without this method
	return json.Marshal(fields(s))
}

// types returns those that a CSV file's columns have by the schema.
func (s *Schema) types() map[string]arrow.DataType {
	out := map[string]arrow.DataType{}
	for _, c := range s.Features {
		out[c.Name] = csvType(c.Kind)
	}
	if s.Target != "" {
		out[s.Target] = csvType(Number)
	}
	if s.Weight != "" {
		out[s.Weight] = csvType(Number)
	}
	if s.Label != "" {
		out[s.Label] = csvType(Category)
		if s.IntegerClasses {
			out[s.Label] = arrow.PrimitiveTypes.Int64
		}
	}
	return out
}

func csvType(k Kind) arrow.DataType {
	switch k {
	case Number:
		return arrow.PrimitiveTypes.Float64
	case Time:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	}
	return arrow.BinaryTypes.String
}

// find returns where a column stands in a file.
func find(file string, of *arrow.Schema, name string) (int, error) {
	switch at := of.FieldIndices(name); len(at) {
	case 1:
		return at[0], nil
	case 0:
		const most = 20 // of a wide file more would hide the rest
		var list []string
		for _, f := range of.Fields()[:min(of.NumFields(), most)] {
			list = append(list, f.Name)
		}
		if of.NumFields() > most {
			list = append(list, "...")
		}
		return 0, fault.Param(file, "column", strconv.Quote(name)+", which the file lacks", "one of its columns "+strings.Join(list, ", "))
	default:
		return 0, fault.Param(file, "column", fmt.Sprintf("%q, which the file has %d times", name, len(at)), "a name that comes once")
	}
}

// fits returns ErrParam unless a column of a file is of a kind.
func fits(file string, f arrow.Field, want Kind) error {
	k, ok := kindOf(f.Type)
	switch {
	case ok && (k == want || k == anyKind), want == Category && cells.Countable(f.Type):
		return nil
	}
	return misfit(file, f, "one of the kind "+want.String())
}

func misfit(file string, f arrow.Field, want string) error {
	return fault.Param(file, fmt.Sprintf("type of column %q", f.Name), f.Type, want)
}

// role is what a stream has beside the features.
type role int

const (
	features role = iota
	targets
	labels
)

// plan is where the columns of a schema stand in a file, or in the batches that are read of it.
type plan struct {
	columns  []int // to be read, ascending
	features []decoder
	y, w     *decoder
}

// plan looks for the columns. With all of them the whole file is to be read.
func (s *Schema) plan(file string, of *arrow.Schema, r role, all bool) (*plan, error) {
	p := &plan{}
	for _, c := range s.Features {
		d, err := s.decoder(file, of, c)
		if err != nil {
			return nil, err
		}
		p.features = append(p.features, d)
	}
	others := map[**decoder]Column{}
	switch r {
	case targets:
		others[&p.y] = Column{Name: s.Target, Kind: Number}
	case labels:
		others[&p.y] = Column{Name: s.Label, Kind: Category, Categories: s.Classes}
	}
	if r != features && s.Weight != "" {
		others[&p.w] = Column{Name: s.Weight, Kind: Number}
	}
	for to, c := range others {
		d, err := s.decoder(file, of, c)
		if err != nil {
			return nil, err
		}
		d.strict = true
		*to = &d
	}
	p.place(of.NumFields(), all)
	return p, nil
}

// place tells the decoders where their columns stand among those that are read.
func (p *plan) place(width int, all bool) {
	decoders := make([]*decoder, 0, len(p.features)+2)
	for j := range p.features {
		decoders = append(decoders, &p.features[j])
	}
	for _, d := range []*decoder{p.y, p.w} {
		if d != nil {
			decoders = append(decoders, d)
		}
	}
	for _, d := range decoders {
		p.columns = append(p.columns, d.at)
	}
	if all {
		p.columns = make([]int, width)
		for j := range p.columns {
			p.columns[j] = j
		}
	}
	slices.Sort(p.columns)
	p.columns = slices.Compact(p.columns)
	for _, d := range decoders {
		d.at, _ = slices.BinarySearch(p.columns, d.at)
	}
}
