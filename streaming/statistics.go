package streaming

import (
	"context"
	"encoding"
)

// Statistics hold the values that a model needs from its rows, such as sums, extremes, counts, a sketch or a sample. Statistics of
// parts of the rows can be merged, in any order and grouping, into those of all rows. The rows may therefore be on several
// computers, or arrive over time, or both.
//
// Empty statistics are valid, for example those of a computer without rows. Only FitStatistics rejects them.
type Statistics[Y Target] interface {
	// AddBlock adds the rows of b with their targets and weights, and keeps no reference to them. Adding blocks of a few hundred
	// rows is faster than adding single rows. After an error the statistics are unchanged.
	//
	// It returns ErrShape if a block has no rows, a different width from the earlier rows, or fields of different lengths. It
	// returns ErrNotFinite with the position in the block. It returns ErrParam for a weight that is not positive, for weights if
	// the model does not use them, and for a label that is not in a given list of classes. It also returns the errors of Fit for
	// such rows, and the error of ctx.
	AddBlock(ctx context.Context, b Block[Y]) error
	// Merge adds the rows of other, which it does not change. If other has a different type or different settings, it returns an
	// ErrParam error that names both statistics. It returns ErrShape for a different width, or the errors of Fit for such rows.
	// After an error the statistics are unchanged.
	Merge(other Statistics[Y]) error
	// Rows returns the number of rows, regardless of their weights.
	Rows() int
	// Clone returns a copy that shares no memory.
	Clone() Statistics[Y]
	// The encoded bytes contain a checksum. UnmarshalBinary decodes them into statistics of the same model and settings, from
	// NewStatistics, and replaces their contents. If it returns ErrBadModel, it leaves the statistics unchanged.
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Unmerger is the capability of [Statistics] to remove rows again, for example for a window that moves over time, or for rows that
// must be forgotten. The statistics of [scalers.StandardScaler], [scalers.RMSScaler], [scalers.UnitRows], and of
// [columnwise.Imputer] with Mean and MostFrequent have it. They sum and count without rounding, so the result is bit-identical to
// the statistics of the remaining rows. Products of features are rounded when they are summed. Of the statistics that contain
// products, only [eem.Statistics] has an Unmerge, which is exact up to rounding.
//
// [columnwise.Imputer]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/columnwise#Imputer
// [eem.Statistics]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators/eem#Statistics
// [scalers.RMSScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#RMSScaler
// [scalers.StandardScaler]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#StandardScaler
// [scalers.UnitRows]: https://pkg.go.dev/github.com/kernelearn/kernelearn/transformers/scalers#UnitRows
type Unmerger[Y Target] interface {
	// Unmerge removes the rows of other, which it does not change. It returns an ErrParam error that names both statistics if other
	// has a different type or different settings, or if the sums show that its rows cannot have been added. It returns ErrShape if
	// other has a different width or more rows. For statistics that are not sums (extremes, categories, a sketch) the error is
	// errors.ErrUnsupported. After an error the statistics are unchanged.
	Unmerge(other Statistics[Y]) error
}

// StatisticsFitter is the capability to fit from statistics, in one pass over the rows.
type StatisticsFitter[Y Target] interface {
	// NewStatistics returns empty statistics for the settings. It returns ErrParam for a field out of range.
	NewStatistics() (Statistics[Y], error)
	// FitStatistics fits to the rows in s, which it does not change. The result is the same as with Fit for all these rows, except
	// for rounding and for differences that the type documents. It returns ErrShape without rows, or the errors of Fit. If s is
	// nil, or has a different type or different settings, it returns an ErrParam error that names both. After an error the earlier
	// model is kept.
	FitStatistics(ctx context.Context, s Statistics[Y]) error
}
