// Package check validates user input and converts it to the dense row-major form that the computations use.
package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Dense returns x as a dense matrix that the caller must neither modify nor keep. It returns a *mat.Dense unchanged, and a copy of
// any other matrix. Its errors contain the name: ErrShape if x is nil or empty, and ErrNotFinite for NaN or an infinity.
func Dense(name string, x mat.Matrix) (*mat.Dense, error) {
	return DenseGaps(name, x, nil)
}

// DenseGaps is like Dense, but allows NaN, a missing cell, in the columns for which gap returns true. If gap is nil, it allows
// none. For infinities it still returns ErrNotFinite.
func DenseGaps(name string, x mat.Matrix, gap func(column int) bool) (*mat.Dense, error) {
	d, err := toDense(name, x)
	if err != nil {
		return nil, err
	}
	r, c := d.Dims()
	for i := range r {
		for j, v := range d.RawRowView(i)[:c] {
			// v-v is 0 for a finite v and NaN otherwise.
			if v-v == 0 || math.IsNaN(v) && gap != nil && gap(j) {
				continue
			}
			return nil, &fault.NotFiniteError{Name: name, Row: i, Col: j, Value: v}
		}
	}
	return d, nil
}

// Anywhere is a gap function for DenseGaps that allows NaN in every column.
func Anywhere(int) bool { return true }

func toDense(name string, x mat.Matrix) (*mat.Dense, error) {
	switch v := x.(type) {
	case nil:
		return nil, fault.Shape(name+" is nil: it has", 0, "rows", "want at least 1")
	case *mat.Dense:
		if v == nil || v.IsEmpty() {
			return nil, fault.Shape(name+" has", 0, "rows", "want at least 1")
		}
		return v, nil
	}
	if isNil(x) {
		return nil, fault.Shape(name+" is nil: it has", 0, "rows", "want at least 1")
	}
	r, c := x.Dims()
	if r < 1 {
		return nil, fault.Shape(name+" has", r, "rows", "want at least 1")
	}
	if c < 1 {
		return nil, fault.Shape(name+" has", c, "columns", "want at least 1")
	}
	if err := Numbers(fmt.Sprintf("%s as a dense matrix of %d×%d", name, r, c), float64(r)*float64(c), sparseHint); err != nil {
		return nil, err
	}
	if of, ok := x.(mat.RowNonZeroDoer); ok {
		return filled(name, of, r, c)
	}
	return mat.DenseCopyOf(x), nil
}

// sparseHint advises on sparse rows whose dense copy does not fit into memory.
const sparseHint = "pass fewer rows at a time; or, for rows that are mostly 0, use ridge.Regressor, lssvm or falkon with a kernel such " +
	"as kernels.Linear, or featuremap.RandomFourier, which make no dense copy (docs/sparse.md)"

// filled returns a dense copy of a sparse matrix. It visits only the nonzero entries.
func filled(name string, of mat.RowNonZeroDoer, r, c int) (*mat.Dense, error) {
	out := mat.NewDense(r, c, nil)
	var wrong error
	for i := range r {
		row := out.RawRowView(i)
		of.DoRowNonZero(i, func(_, j int, v float64) {
			if j < 0 || j >= c {
				wrong = fault.Shape(name+" has an entry in column", j, "of a row", "it has %d columns", c)
				return
			}
			row[j] += v
		})
	}
	if wrong != nil {
		return nil, wrong
	}
	return out, nil
}

// isNil reports whether x is a nil pointer of some type, or gonum's transpose of a nil matrix, whose Dims would panic.
func isNil(x mat.Matrix) bool {
	switch t := x.(type) {
	case mat.Transpose:
		return t.Matrix == nil || isNil(t.Matrix)
	case mat.TransposeVec:
		return t.Vector == nil || isNil(t.Vector)
	case mat.TransposeTri:
		return t.Triangular == nil || isNil(t.Triangular)
	case mat.TransposeBand:
		return t.Banded == nil || isNil(t.Banded)
	}
	return IsNil(x)
}

// IsNil reports whether v is nil or an interface that holds a nil pointer.
func IsNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// Columns returns an ErrShape error unless x has the number of columns to which a model was fitted.
func Columns(name string, x *mat.Dense, fitted int) error {
	if _, c := x.Dims(); c != fitted {
		return fault.Columns(name, c, fitted)
	}
	return nil
}

// Rows returns an ErrShape error unless the number of entries got equals the number of rows.
func Rows(name string, got, rows int) error {
	if got != rows {
		return fault.Shape(name+" has", got, "entries", "x has %d rows", rows)
	}
	return nil
}

// Labelled is like Dense, for training rows. It also checks that there is a label for each row.
func Labelled(x mat.Matrix, labels int) (*mat.Dense, error) { return labelled(x, labels, nil) }

func labelled(x mat.Matrix, labels int, gap func(column int) bool) (*mat.Dense, error) {
	xd, err := DenseGaps("x", x, gap)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	return xd, Rows("y", labels, n)
}

// Targeted is like Labelled, for targets y, which must also be finite.
func Targeted(x mat.Matrix, y []float64) (*mat.Dense, error) { return targeted(x, y, nil) }

func targeted(x mat.Matrix, y []float64, gap func(column int) bool) (*mat.Dense, error) {
	xd, err := labelled(x, len(y), gap)
	if err != nil {
		return nil, err
	}
	return xd, Vector("y", y)
}

// leastSpread is the smallest range of the targets that an estimator accepts. Squares of smaller differences have few correct
// digits, and intervals would have no width.
const leastSpread = 1e-150

// Spread returns an ErrParam error if the targets differ by less than leastSpread. Constant targets are valid.
func Spread(typ string, y []float64) error {
	if len(y) == 0 {
		return nil
	}
	least, most := y[0], y[0]
	for _, v := range y {
		least, most = min(least, v), max(most, v)
	}
	return SpreadOf(typ, "the spread of y", most-least)
}

// SpreadOf is like Spread, for targets whose spread is known. The error contains the name.
func SpreadOf(typ, name string, spread float64) error {
	if spread > 0 && spread < leastSpread {
		return fault.Param(typ, name, spread, fmt.Sprintf(">= %v, or 0: multiply y by a constant", leastSpread))
	}
	return nil
}

// Targets is like Targeted, for all training rows of typ. It also checks the spread of the targets, as [Spread] does, and the
// weights of FitWeighted.
func Targets(typ string, x mat.Matrix, y, weights []float64) (*mat.Dense, error) {
	return targets(typ, x, y, weights, nil)
}

func targets(typ string, x mat.Matrix, y, weights []float64, gap func(column int) bool) (*mat.Dense, error) {
	xd, err := labelled(x, len(y), gap)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	return xd, TargetValues(typ, n, y, weights)
}

// TargetValues returns the error that [Targets] returns for the targets and weights of n rows.
func TargetValues(typ string, n int, y, weights []float64) error {
	return cmp.Or(Rows("y", len(y), n), Vector("y", y), Spread(typ, y), GivenWeights(typ, weights, len(y)))
}

// Wide is like Dense, for rows that must have the number of columns to which a model was fitted.
func Wide(name string, x mat.Matrix, fitted int) (*mat.Dense, error) {
	return wide(name, x, fitted, nil)
}

func wide(name string, x mat.Matrix, fitted int, gap func(column int) bool) (*mat.Dense, error) {
	xd, err := DenseGaps(name, x, gap)
	if err != nil {
		return nil, err
	}
	return xd, Columns(name, xd, fitted)
}

// MaxBytes is the default memory limit of a single object, 8 GiB.
const MaxBytes = 8 << 30

// Bytes returns an ErrTooLarge error if need is larger than [MaxBytes]. It must be called before the allocation. need is a
// floating-point number, because a product of hostile counts could overflow an integer.
func Bytes(what string, need float64, hint string) error {
	return BytesWithin(what, need, MaxBytes, hint)
}

// BytesWithin is like Bytes, with another limit.
func BytesWithin(what string, need float64, limit int64, hint string) error {
	if need <= float64(limit) {
		return nil
	}
	return &fault.TooLargeError{What: what, Bytes: int64(min(need, 1<<62)), Limit: limit, Hint: hint}
}

// Numbers is like Bytes, for a number of float64 values.
func Numbers(what string, count float64, hint string) error { return Bytes(what, 8*count, hint) }

const (
	// mostNumbered limits the number of columns for which names are generated, because a model file of a few bytes can claim any
	// number of columns.
	mostNumbered = 1 << 20
	bytesOfName  = 32
)

// Names returns an ErrTooLarge error if there are too many columns for generated names.
func Names(typ string, columns int) error {
	return BytesWithin(fmt.Sprintf("%s: names of %d columns", typ, columns), bytesOfName*float64(columns), bytesOfName*mostNumbered,
		"give the names of the columns")
}

// Vector returns an ErrNotFinite error if y contains NaN or an infinity.
func Vector(name string, y []float64) error {
	for i, v := range y {
		if v-v != 0 {
			return &fault.NotFiniteError{Name: name, Row: i, Col: -1, Value: v}
		}
	}
	return nil
}

// IsFinite reports whether v is neither infinite nor NaN.
func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Finite returns an ErrNotFinite error with the position if a matrix of results contains NaN or an infinity.
func Finite(name string, m *mat.Dense) error {
	n, _ := m.Dims()
	for i := range n {
		for j, v := range m.RawRowView(i) {
			if v-v != 0 {
				return &fault.NotFiniteError{Name: name, Row: i, Col: j, Value: v}
			}
		}
	}
	return nil
}

// Weights returns an error unless w has n finite, positive entries.
func Weights(typ string, w []float64, n int) error {
	if err := Rows("weights", len(w), n); err != nil {
		return err
	}
	if err := Vector("weights", w); err != nil {
		return err
	}
	for _, v := range w {
		if v <= 0 {
			return fault.Param(typ, "weights", v, "> 0")
		}
	}
	return nil
}

// Given returns a copy of the weights that the caller passed to FitWeighted. The copy is never nil, so that [GivenWeights] can
// distinguish nil weights from the absent weights of Fit.
func Given(weights []float64) []float64 { return append([]float64{}, weights...) }

// GivenWeights is like Weights, for a result of [Given]. It accepts nil, which stands for the absent weights of Fit.
func GivenWeights(typ string, w []float64, n int) error {
	if w == nil {
		return nil
	}
	return Weights(typ, w, n)
}

// Symmetric returns an error unless a kernel matrix K that the caller has computed is finite and has the given number of rows. It
// checks the values of a row one by one only if their sum is not finite.
func Symmetric(k mat.Symmetric, rows int) error {
	if IsNil(k) || k.SymmetricDim() == 0 {
		return fault.Shape("K has", 0, "rows", "want at least 1")
	}
	n := k.SymmetricDim()
	raw, ok := k.(mat.RawSymmetricer)
	for i := range n {
		sum := math.NaN()
		if ok {
			r := raw.RawSymmetric()
			sum = 0
			for _, v := range r.Data[i*r.Stride+i : i*r.Stride+n] {
				sum += v
			}
		}
		if sum-sum == 0 {
			continue
		}
		for j := i; j < n; j++ {
			if v := k.At(i, j); v-v != 0 {
				return &fault.NotFiniteError{Name: "K", Row: i, Col: j, Value: v}
			}
		}
	}
	if rows != n {
		return fault.Shape("y has", rows, "entries", "K has %d rows", n)
	}
	return nil
}

// Begin starts an exported function that has a context. The function calls it in its first statement and defers the result, with
// the address of its error. If the caller passed nil, *ctx becomes a context that has ended with an ErrParam error. Begin also does
// what fault.Recover does:
//
//	defer check.Begin(&ctx)(&err)
func Begin(ctx *context.Context) func(err *error) {
	*ctx = Context(*ctx)
	return fault.Recover
}

// Context returns ctx. For nil it returns a context that has ended with an ErrParam error, so that a fit ends as if it were
// cancelled.
func Context(ctx context.Context) context.Context {
	if ctx == nil {
		return noContext{context.Background()}
	}
	return ctx
}

type noContext struct{ context.Context }

var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (noContext) Done() <-chan struct{} { return ended }

func (noContext) Err() error { return errNoContext }

var errNoContext = fault.Param("context", "ctx", nil, "a context, such as context.Background()")
