package golearn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// Missing says what becomes of a gap, a NaN in a float feature. A gap in a categorical
// feature is a category like the others ("?" in the grids of ReadCSV).
type Missing int

const (
	// Refuse is the zero value and makes it an error that names the attribute and the row. It is
	// Pass where there is no Estimator: the search that takes its place fills gaps.
	Refuse Missing = iota
	// Pass hands it to the estimator, for one that fills gaps itself.
	Pass
	// Impute puts the mean of the feature over the training rows in its place, in
	// training and at Predict, and 0 where they hold no number. For other statistics put
	// a columnwise.Imputer into a Pipeline.
	Impute
)

var missingNames = []string{"Refuse", "Pass", "Impute"}

// String returns the constant's name.
func (m Missing) String() string {
	if m < 0 || int(m) >= len(missingNames) {
		return fmt.Sprintf("Missing(%d)", int(m))
	}
	return missingNames[m]
}

// gapsOf is what becomes of gaps before an estimator of the configuration, which may be nil.
func gapsOf(estimator any, m Missing) Missing {
	if estimator == nil && m == Refuse {
		return Pass
	}
	return m
}

func (m Missing) check() error {
	if m < 0 || int(m) >= len(missingNames) {
		return fault.Param("input", "Missing", int(m), "Refuse, Pass or Impute")
	}
	return nil
}

// schema is what a model keeps of the features of its training grid: how to make of other
// rows the matrix that the estimator saw.
type schema struct {
	Columns  []column // of a categorical feature: the categories that training rows held
	NoOneHot bool
	Missing  Missing
	// Fills has with Impute a number for each matrix column, which takes the place of a NaN.
	Fills codec.Floats `cbor:",omitempty"`
}

// learn reads the columns of a training table, and the matrix of its rows.
func learn(ctx context.Context, t *gridTable, noOneHot bool, missing Missing) (*schema, *mat.Dense, error) {
	if err := missing.check(); err != nil {
		return nil, nil, err
	}
	s := &schema{NoOneHot: noOneHot, Missing: missing}
	seen := *t
	seen.features = slices.Clone(t.features)
	for j := range seen.features {
		c := &seen.features[j]
		if c.column.Kind == categoricalKind {
			if noOneHot {
				return nil, nil, fault.Param("input", "feature", strconv.Quote(c.column.Name)+", which is categorical",
					"float or binary features only, or NoOneHot = false")
			}
			if err := t.present(c); err != nil {
				return nil, nil, err
			}
		}
		s.Columns = append(s.Columns, c.column.owned())
	}
	if missing != Impute {
		x, err := s.matrix(&seen)
		return s, x, err
	}
	seen.matrix = nil // x is written to
	x, err := (&schema{Columns: s.Columns, Missing: Pass}).matrix(&seen)
	if err != nil {
		return nil, nil, err
	}
	var mean columnwise.Imputer
	if err := mean.Fit(ctx, x); err != nil {
		return nil, nil, s.explain(t, err)
	}
	s.Fills = mean.Values()
	for i := range t.n {
		for k, v := range x.RawRowView(i) {
			if math.IsNaN(v) {
				x.Set(i, k, s.Fills[k])
			}
		}
	}
	return s, x, nil
}

// matrix returns the matrix of a table that is aligned to the schema, a row for each row.
// It may be what the table was made of, and must not be written to.
func (s *schema) matrix(t *gridTable) (*mat.Dense, error) {
	if t.matrix != nil && s.Missing != Impute {
		return t.matrix, s.check(t, nil)
	}
	if err := checkSize(t.n, s.Columns); err != nil {
		return nil, err
	}
	width := s.width()
	x := mat.NewDense(t.n, width, nil)
	data := x.RawMatrix().Data
	return x, s.eachBlock(t, nil, func(at, rows int) []float64 { return data[at*width : (at+rows)*width] })
}

// check reads the table as matrix does, and keeps nothing. Unseen, if not nil, counts the
// rows whose category training did not hold.
func (s *schema) check(t *gridTable, unseen map[string]int) error {
	width := s.width()
	buf := make([]float64, min(t.n, blockRows)*width)
	return s.eachBlock(t, unseen, func(_, rows int) []float64 {
		clear(buf)
		return buf[:rows*width]
	})
}

func (s *schema) width() int {
	width := 0
	for _, c := range s.Columns {
		width += c.width()
	}
	return width
}

// eachBlock encodes the rows of t, block by block, into what to returns.
func (s *schema) eachBlock(t *gridTable, unseen map[string]int, to func(at, rows int) []float64) (err error) {
	defer guard("reading the grid", &err)
	width := s.width()
	return t.blocks(func(at int, rows []int) error {
		dst, column := to(at, len(rows)), 0
		var first error
		for j := range s.Columns {
			// After an error the rows before it are read on: the first row is the one to name.
			n, err := s.encode(&t.features[j], column, len(s.Columns[j].Values), dst[column:], width, rows, unseen)
			if err != nil {
				rows, first = rows[:n], err
			}
			column += s.Columns[j].width()
		}
		return first
	})
}

// encode writes one feature for some rows to the matrix columns from column on: of a
// categorical one, of which training knew so many categories, one for each. With an error it
// returns how many rows came before it.
func (s *schema) encode(c *cells, column, known int, dst []float64, stride int, rows []int, unseen map[string]int) (int, error) {
	if c.column.Kind == categoricalKind {
		var codes [blockRows]float64
		n, err := c.read(codes[:], 1, rows)
		for i, code := range codes[:n] {
			if k := int(code); k < known {
				dst[i*stride+k] = 1
			} else if unseen != nil {
				unseen[c.column.Name]++
			}
		}
		return n, err
	}
	n, err := c.read(dst, stride, rows)
	if c.column.Kind != floatKind || s.Missing == Pass {
		return n, err
	}
	for i := range n {
		switch v := dst[i*stride]; {
		case v-v == 0:
		case s.Missing == Impute && math.IsNaN(v):
			dst[i*stride] = s.Fills[column]
		default:
			err := notFinite(c.column.Name, rows[i], v)
			if math.IsNaN(v) { // which Refuse refuses
				err = fmt.Errorf("%w: set Missing to Impute or Pass", err)
			}
			return i, err
		}
	}
	return n, err
}

// maxMatrixBytes is the size of the largest matrix that is made of a grid. A column
// of names or numbers of things, one-hot encoded, soon asks for more.
const maxMatrixBytes = 8 << 30

func checkSize(rows int, cols []column) error {
	width, widest := 0, column{}
	for _, c := range cols {
		width += c.width()
		if c.width() > widest.width() || widest.Kind == 0 {
			widest = c
		}
	}
	bytes := int64(rows) * int64(width) * cellSize
	if bytes <= maxMatrixBytes {
		return nil
	}
	hint := ""
	if widest.Kind == categoricalKind {
		hint = fmt.Sprintf("the feature %q has %d categories: leave it out", widest.Name, len(widest.Values))
	}
	return &fault.TooLargeError{What: fmt.Sprintf("a matrix of %d rows and %d columns", rows, width), Bytes: bytes, Limit: maxMatrixBytes,
		Hint: hint}
}

// give hands the matrix of a table to f, and names the attribute where an estimator or a
// transformer, which knows columns by number only, met a NaN or an infinity.
func give[R any](s *schema, t *gridTable, f func(x *mat.Dense) (R, error)) (out R, err error) {
	x, err := s.matrix(t)
	if err != nil {
		return out, err
	}
	out, err = f(x)
	return out, s.explain(t, err)
}

func (s *schema) explain(t *gridTable, err error) error {
	var nf *fault.NotFiniteError
	if !errors.As(err, &nf) || nf.Col < 0 {
		return err
	}
	all := expanded(s.Columns)
	if nf.Col >= len(all) || nf.Row < 0 || nf.Row >= t.n {
		return err
	}
	row := nf.Row
	if t.rows != nil {
		row = t.rows[row]
	}
	return fmt.Errorf("attribute %q, row %d: %w", all[nf.Col], row, err)
}

// Inspection says how a fitted model reads a grid.
type Inspection struct {
	Rows int
	// Ignored names the attributes that Fit did not see, in the grid's order,
	// without class attributes.
	Ignored []string
	// Unseen counts, for each categorical feature that has any, the rows whose
	// category the training rows did not hold. All of the feature's columns are 0
	// in such a row.
	Unseen map[string]int
}

// inspect reads a table as a model would.
func (s *schema) inspect(t *gridTable) (Inspection, error) {
	out := Inspection{Rows: t.n, Unseen: map[string]int{}}
	aligned, err := t.align(s.Columns)
	if err == nil {
		err = s.check(aligned, out.Unseen)
	}
	if err != nil {
		return Inspection{}, err
	}
	wanted := make(map[string]bool, len(s.Columns))
	for _, c := range s.Columns {
		wanted[c.Name] = true
	}
	for _, n := range t.names() {
		if !wanted[n] {
			out.Ignored = append(out.Ignored, n)
		}
	}
	return out, nil
}

// fits compares the configuration in a file with the receiver's.
func (s *schema) fits(modelKind string, noOneHot bool, missing Missing) error {
	if s.NoOneHot != noOneHot {
		return fault.BadModel(modelKind, "written with NoOneHot = %t, the receiver has %t", s.NoOneHot, noOneHot)
	}
	if s.Missing != missing {
		return fault.BadModel(modelKind, "written with Missing = %v, the receiver has %v", s.Missing, missing)
	}
	return nil
}

// validate checks what was read from a file.
func (s *schema) validate() error {
	if len(s.Columns) == 0 {
		return errors.New("no feature")
	}
	if err := s.Missing.check(); err != nil {
		return err
	}
	if (s.Missing == Impute && len(s.Fills) != s.width()) || (s.Missing != Impute && len(s.Fills) > 0) || !s.Fills.Finite() {
		return fmt.Errorf("%d numbers for the gaps of %d columns with Missing = %v, or one that is none", len(s.Fills), s.width(),
			s.Missing)
	}
	for _, c := range s.Columns {
		if err := c.validate(); err != nil {
			return err
		}
		if c.width() == 0 {
			return fmt.Errorf("the feature %q has no category", c.Name)
		}
	}
	if n, ok := duplicate(names(s.Columns)); ok {
		return fmt.Errorf("the feature %q twice", n)
	}
	return nil
}
