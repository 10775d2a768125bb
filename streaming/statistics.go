package streaming

import (
	"context"
	"encoding"
)

// Statistics are all that a model learns from of some rows: sums, extremes, counts, a sketch, a sample. Those of parts of
// the rows are merged, in any order and grouping, into those of all. So the rows may be on several machines, come over
// time, or both.
//
// Empty statistics are valid: a machine that saw no rows has them. FitStatistics alone refuses them.
type Statistics[Y Target] interface {
	// AddBlock takes in the rows of b with their targets and weights, and keeps no reference to what it holds. A block
	// of some hundred rows costs less for each row than single rows do. Errors: ErrShape for a block without rows, of
	// another width than the rows so far, or whose parts differ in length; ErrNotFinite with the place in the block;
	// ErrParam for a weight that is not above 0, for weights where the model takes none, and for a label that is not in
	// a given list of classes; what Fit says of such rows; or ctx's. After an error the statistics are what they were.
	AddBlock(ctx context.Context, b Block[Y]) error
	// Merge takes in the rows that other holds, which stays as it is. Errors: ErrParam, which names both, for
	// statistics of another type or of other settings; ErrShape for another width; what Fit says of such rows. After an
	// error the statistics are what they were.
	Merge(other Statistics[Y]) error
	// Rows returns the number of rows, of any weight.
	Rows() int
	// Clone returns a copy that shares no memory.
	Clone() Statistics[Y]
	// What was summed travels as bytes with a checksum. UnmarshalBinary reads them into statistics of the same model
	// and settings, which NewStatistics gives, whatever these have summed. Its errors are ErrBadModel and leave the
	// statistics as they were.
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Unmerger is the capability of [Statistics] to remove rows again, for example for a window that moves over time, or for
// rows that must be forgotten. Those of [scalers.StandardScaler], [scalers.RMSScaler], [scalers.UnitRows], and of
// [columnwise.Imputer] with Mean and MostFrequent can: they sum and count without rounding, so that what is left is, to
// the bit, the statistics of the rows that are left. Products of features are rounded where they are summed; of those
// only [eem.Statistics] has an Unmerge, to rounding.
//
// [columnwise.Imputer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/columnwise#Imputer
// [eem.Statistics]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators/eem#Statistics
// [scalers.RMSScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#RMSScaler
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
// [scalers.UnitRows]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#UnitRows
type Unmerger[Y Target] interface {
	// Unmerge takes the rows out that other holds, which stays as it is. Errors: ErrParam, which names both, for
	// statistics of another type or of other settings, and for rows that cannot have been taken in, as far as the sums
	// show it; ErrShape for another width or more rows than there are; errors.ErrUnsupported for statistics that are no
	// sums: extremes, categories, a sketch. After an error the statistics are what they were.
	Unmerge(other Statistics[Y]) error
}

// StatisticsFitter is the capability to learn from statistics, in one pass over the rows.
type StatisticsFitter[Y Target] interface {
	// NewStatistics returns statistics of no rows, for the settings. Errors: ErrParam for a field out of range.
	NewStatistics() (Statistics[Y], error)
	// FitStatistics learns from the rows that s holds, and does not change s. It is Fit of all those rows, except for
	// rounding and for what the type documents. Errors: ErrShape for no rows; ErrParam for nil, for statistics of
	// another type and for those of other settings, naming both; or those of Fit. After an error the model is what it
	// was.
	FitStatistics(ctx context.Context, s Statistics[Y]) error
}
