package streaming

import (
	"context"
	"encoding"
)

// Statistics hold what a model needs of some rows: sums, extremes, counts, a sketch, a sample. Statistics of parts of the rows are
// merged, in any order and grouping, into those of all rows. So the rows may be on several machines, or arrive over time, or both.
//
// Empty statistics are valid: a machine without rows has them. Only FitStatistics rejects them.
type Statistics[Y Target] interface {
	// AddBlock adds the rows of b with their targets and weights, and keeps no reference to them. A block of a few hundred rows
	// costs less for each row than single rows do. Errors: ErrShape for a block without rows, of another width than the rows so
	// far, or whose parts differ in length; ErrNotFinite with the position in the block; ErrParam for a weight that is not above 0,
	// for weights if the model takes none, and for a label that is not in a given list of classes; the errors of Fit for such rows;
	// and the error of ctx. After an error the statistics are unchanged.
	AddBlock(ctx context.Context, b Block[Y]) error
	// Merge adds the rows of other, which it does not change. Errors: ErrParam, which names both, for statistics of another type or
	// with other settings; ErrShape for another width; and the errors of Fit for such rows. After an error the statistics are
	// unchanged.
	Merge(other Statistics[Y]) error
	// Rows returns the number of rows, regardless of their weights.
	Rows() int
	// Clone returns a copy that shares no memory.
	Clone() Statistics[Y]
	// The bytes contain a checksum. UnmarshalBinary reads them into statistics of the same model and settings, from NewStatistics,
	// and replaces their contents. Its errors are ErrBadModel and leave the statistics unchanged.
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Unmerger is the capability of [Statistics] to remove rows again, for example for a window that moves over time, or for rows that
// must be forgotten. Those of [scalers.StandardScaler], [scalers.RMSScaler], [scalers.UnitRows], and of [columnwise.Imputer] with
// Mean and MostFrequent have it. They sum and count without rounding, so the result is bit-identical to the statistics of the
// remaining rows. Products of features are rounded when they are summed; of those only [eem.Statistics] has an Unmerge, up to
// rounding.
//
// [columnwise.Imputer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/columnwise#Imputer
// [eem.Statistics]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators/eem#Statistics
// [scalers.RMSScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#RMSScaler
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
// [scalers.UnitRows]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#UnitRows
type Unmerger[Y Target] interface {
	// Unmerge removes the rows of other, which it does not change. Errors: ErrParam, which names both, for statistics of another
	// type or with other settings, and for rows that cannot have been added, as far as the sums show it; ErrShape for another width
	// or more rows than there are; errors.ErrUnsupported for statistics that are not sums: extremes, categories, a sketch. After an
	// error the statistics are unchanged.
	Unmerge(other Statistics[Y]) error
}

// StatisticsFitter is the capability to fit from statistics, in one pass over the rows.
type StatisticsFitter[Y Target] interface {
	// NewStatistics returns empty statistics for the settings. Errors: ErrParam for a field out of range.
	NewStatistics() (Statistics[Y], error)
	// FitStatistics fits to the rows in s, which it does not change. The result is that of Fit for all those rows, except for
	// rounding and for differences that the type documents. Errors: ErrShape without rows; ErrParam for nil, for statistics of
	// another type and for those with other settings, naming both; and those of Fit. After an error the earlier model is kept.
	FitStatistics(ctx context.Context, s Statistics[Y]) error
}
