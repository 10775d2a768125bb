package estimators

import (
	"context"
	"encoding"
)

// Statistics are all that an estimator learns from of some rows, mostly sums over them. Those of parts
// of the rows are merged, in any order and grouping, into those of all: so the rows may be on several
// machines, come over time, or both. Y is float64 for regressors and int for classifiers; those of
// transformers are [transformers.Statistics].
//
// Statistics of no rows are nothing wrong: a machine that saw none has them. They are an error of
// FitStatistics.
type Statistics[Y float64 | int] interface {
	// AddBlock takes in the rows of b, targets and weights with them, and keeps no reference to what it holds. A
	// block of some hundred rows costs less for each than one row by itself. Errors: ErrShape for a
	// block without rows, of another width than the rows so far, or whose parts are of different lengths;
	// ErrNotFinite with the place in the block; ErrParam for a weight that is not above 0 and for a label
	// that is none of a given list of classes; or ctx's. After an error the statistics are what they were.
	AddBlock(ctx context.Context, b Block[Y]) error
	// Merge takes in the rows that other holds, which stays as it is. Errors: ErrParam, which
	// names both, for statistics of another type or of other settings; ErrShape for another width. After an
	// error the statistics are what they were.
	Merge(other Statistics[Y]) error
	// Rows returns the number of rows, of any weight.
	Rows() int
	// Clone returns a copy that shares no memory.
	Clone() Statistics[Y]
	// What was summed travels as bytes with a checksum. UnmarshalBinary reads them into
	// statistics of the same estimator and settings, which NewStatistics gives, whatever it has summed;
	// its errors are ErrBadModel and leave the statistics as they were.
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// StatisticsFitter is the capability to learn from statistics, in one pass over the rows. Y is float64 for
// regressors and int for classifiers. That of transformers is [transformers.StatisticsFitter].
type StatisticsFitter[Y float64 | int] interface {
	// NewStatistics returns statistics of no rows, for the settings. Errors: ErrParam for a field
	// out of range.
	NewStatistics() (Statistics[Y], error)
	// FitStatistics learns from the rows that s holds, which stays as it is. It is Fit of all those rows, but
	// for rounding and for what the type documents. Errors: ErrShape for no rows; ErrParam for
	// nil, for statistics of another type and for those of other settings, naming both; or those of Fit. After
	// an error the estimator is what it was.
	FitStatistics(ctx context.Context, s Statistics[Y]) error
}
