package transformers

import (
	"context"
	"encoding"

	"gonum.org/v1/gonum/mat"
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
// or for rows that must be forgotten. Those of [scalers.StandardScaler], [scalers.RMSScaler], [scalers.UnitRows], and
// of [columnwise.Imputer] with Mean and MostFrequent can: they sum and count without rounding, so that what is left is,
// to the bit, the statistics of the rows that are left. Products of features are rounded where they are summed; of
// those only [eem.Statistics] has an Unmerge, to rounding.
//
// [columnwise.Imputer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/columnwise#Imputer
// [eem.Statistics]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators/eem#Statistics
// [scalers.RMSScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#RMSScaler
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
// [scalers.UnitRows]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#UnitRows
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
	// PartialFit learns from x (n×d) besides what earlier calls of PartialFit, or a FitStatistics, learnt from: it is
	// FitStatistics of all those rows. The transformer keeps their statistics, but Clone and MarshalBinary leave them
	// out: MarshalStatistics has them (estimators.Continuer). After Fit, FitBlocks or UnmarshalBinary there are none to
	// go on from, which is ErrNotFitted. What a map of a kernel makes of a row may be another number after it, and of
	// another meaning: a model that was fitted behind the map has to be fitted again, or the two in one pipeline, whose
	// PartialFit leaves the steps as they are.
	PartialFit(ctx context.Context, x mat.Matrix) error
}
