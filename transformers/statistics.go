package transformers

import (
	"context"
	"encoding"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Statistics are all that a transformer learns from of some rows: sums, extremes, counts, a sketch,
// a sample. Those of parts of the rows are merged, in any order and grouping, into those of
// all; so rows may be on several machines, come over time, or both.
//
// The zero number of rows is no error of AddBlock's callers or of Merge: a machine that saw none has
// such statistics. It is one of FitStatistics.
type Statistics interface {
	// AddBlock takes in the rows of x, NaN for gaps where the transformer knows gaps, and keeps no reference to them.
	// Errors: ErrShape for an x without rows or of another width than the rows so far, ErrNotFinite with the place in
	// x, what the transformer's Fit says of such rows, or the error of ctx. After an error the statistics are what
	// they were.
	AddBlock(ctx context.Context, x *mat.Dense) error
	// Merge takes in the rows that other holds, which stays as it is. Errors: ErrParam, which
	// names both, for statistics of another type or of other settings; ErrShape for another width;
	// what the transformer's Fit says of such rows. After an error the statistics are what they were.
	Merge(other Statistics) error
	// Rows returns the number of rows.
	Rows() int
	// Clone returns a copy that shares no memory.
	Clone() Statistics
	// What was summed travels as bytes with a checksum. UnmarshalBinary reads them into
	// statistics of the same transformer and settings, which NewStatistics gives; its errors are
	// ErrBadModel and leave the statistics as they were.
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Unmerger is the capability of [Statistics] to remove rows again, for example for a window that moves over time,
// or for rows that must be forgotten. Those of [StandardScaler], [RMSScaler], [UnitRows], and of [Imputer] with
// Mean and [MostFrequent] can: they sum and count without rounding, so that what is left is, to the bit, the
// statistics of the rows that are left. Products of features are rounded where they are summed; of those only
// [github.com/kernelearn/kernelearn/estimators/eem.Statistics] has an Unmerge, to rounding.
type Unmerger interface {
	// Unmerge takes the rows out that other holds, which stays as it is. Errors: ErrParam, which
	// names both, for statistics of another type or of other settings, and for rows that cannot have been taken in, as far
	// as the sums show it; ErrShape for another width or more rows than there are; errors.ErrUnsupported for statistics that are
	// no sums: extremes, categories, a sketch. After an error the statistics are what they were.
	Unmerge(other Statistics) error
}

// StatisticsFitter is the capability to learn from sums over rows, in one pass.
type StatisticsFitter interface {
	// NewStatistics returns statistics of no rows, for the settings. Errors: ErrParam for a field
	// out of range.
	NewStatistics() (Statistics, error)
	// FitStatistics learns from the rows that s holds, and does not change s. Errors: ErrShape for no rows; ErrParam
	// for nil, for statistics of another type and for those of other settings, naming both; or those of Fit. After an
	// error the transformer is unchanged.
	FitStatistics(ctx context.Context, s Statistics) error
}

// PartialFitter is the capability to learn from more rows.
type PartialFitter interface {
	// PartialFit learns from x (n×d) besides what earlier calls of PartialFit, or a FitStatistics,
	// learnt from: it is FitStatistics of all those rows. The transformer keeps their statistics, but
	// Clone and MarshalBinary leave them out: MarshalStatistics has them (estimators.Continuer). After Fit, FitBlocks or
	// UnmarshalBinary there are none to go on from, which is ErrNotFitted. What a map of a kernel makes of a row may be another number after it, and
	// of another meaning: a model that was fitted behind the map has to be fitted again, or the two in one pipeline, whose
	// PartialFit leaves the steps as they are.
	PartialFit(ctx context.Context, x mat.Matrix) error
}

// fresh returns an error unless there are rows in s.
func someRows(typ string, s Statistics) error {
	if s.Rows() == 0 {
		return fmt.Errorf("%s: %w", typ, fault.Shape("the statistics have", 0, "rows", "want at least 1"))
	}
	return nil
}

// otherStatistics is the error for statistics that are not of a kind.
func otherStatistics(typ string, have any, want fmt.Stringer) error {
	name := "nil"
	if !check.IsNil(have) {
		name = fmt.Sprintf("those of a %T", have)
		if s, ok := have.(fmt.Stringer); ok {
			name = "those of " + s.String()
		}
	}
	return fault.Param(typ, "statistics", name, "those of "+want.String())
}

// partial is PartialFit of t, which embeds l.
func (l *learned[M]) partial(ctx context.Context, x mat.Matrix, t StatisticsFitter) error {
	return partial(ctx, x, t, l.model().name(), l.fitted != nil, l.sums)
}

// partial is PartialFit of t, of a name, that was fitted or not, by sums or, where those are nil, in another way.
func partial(ctx context.Context, x mat.Matrix, t StatisticsFitter, name string, fitted bool, sums Statistics) error {
	s, err := goOn(t, name, fitted, sums)
	if err != nil {
		return err
	}
	rows, err := check.DenseGaps("x", x, check.Anywhere) // which AddBlock looks at more closely
	if err != nil {
		return err
	}
	if err := s.AddBlock(ctx, rows); err != nil {
		return err
	}
	return t.FitStatistics(ctx, s)
}

// goOn returns a copy of the statistics that more rows come to.
func goOn(t StatisticsFitter, name string, fitted bool, sums Statistics) (Statistics, error) {
	switch {
	case !fitted:
		return t.NewStatistics()
	case sums == nil:
		return nil, noStatistics(name)
	}
	return sums.Clone(), nil
}

// marshalStatistics is MarshalStatistics.
func (l *learned[M]) marshalStatistics() ([]byte, error) {
	if l.fitted == nil {
		return nil, fault.NotFitted(l.model().name())
	}
	return keptStatistics(l.model().name(), l.sums)
}

// goesOn is UnmarshalStatistics of t, which embeds l.
func (l *learned[M]) goesOn(t StatisticsFitter, data []byte) error {
	if l.fitted == nil {
		return fault.NotFitted(l.model().name())
	}
	from, _ := l.model().columns()
	sums, err := readStatistics(l.model().name(), t, from, data)
	if err != nil {
		return err
	}
	l.sums = sums
	return nil
}

// keptStatistics are the bytes of statistics that more rows come to.
func keptStatistics(name string, sums Statistics) ([]byte, error) {
	if sums == nil {
		return nil, noStatistics(name)
	}
	return sums.MarshalBinary()
}

func noStatistics(name string) error {
	return fmt.Errorf("%s: what was learnt from rows, or read, has no statistics to go on from: begin with PartialFit or FitStatistics: %w", name, fault.ErrNotFitted)
}

// readStatistics reads statistics of rows of a width for t, of a name.
func readStatistics(name string, t StatisticsFitter, width int, data []byte) (Statistics, error) {
	s, err := t.NewStatistics()
	if err != nil {
		return nil, err
	}
	if err := s.UnmarshalBinary(data); err != nil {
		return nil, err
	}
	if w, ok := s.(interface{ columnCount() int }); s.Rows() == 0 || ok && w.columnCount() != width {
		return nil, fault.BadModel(name, "statistics of %d rows that are not those of its %d columns", s.Rows(), width)
	}
	return s, nil
}

// learnStatistics assigns what f learns of s, which are those of the columns of a C each that fresh
// has, and not without rows.
func learnStatistics[M model, C summary[C]](ctx context.Context, l *learned[M], s Statistics, fresh *columnStatistics[C], f func(*columnStatistics[C]) (*M, error)) error {
	own, err := fresh.like(s)
	if err != nil {
		return err
	}
	if err := someRows(fresh.typ, s); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := f(own)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.fitted, l.sums = m, own.Clone()
	return nil
}
