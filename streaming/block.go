// Package streaming defines the contracts for fits to rows that are not all in one place. The rows may come from a file or a query
// in blocks ([BlockFitter]). They may also be on several computers or arrive over time. Their sums are then computed in parts and
// merged ([Statistics]).
//
// Every type is generic over the [Target] of a row: [None] for transformers, a number for regressors, a class for classifiers.
//
// # Statistics
//
// [Statistics] hold the sums over the rows that a model needs. AddBlock adds rows, and Merge adds the rows of other statistics, in
// any order and grouping. Their encoded bytes have a checksum. NewStatistics of a [StatisticsFitter] returns empty statistics,
// which can also decode bytes, and FitStatistics fits the model. A model that needs several passes over the rows, such as a
// pipeline, has [Stages]. Each pass computes the sums for one stage. The bytes of the Stages contain the current stage for a
// worker. [NewStages] and [FitStages] handle both kinds of model, so an engine needs only this loop:
//
//	stages, err := streaming.NewStages[float64](model)
//	for stage, count := stages.Stage(); stage < count; stage, count = stages.Stage() {
//		sums, err := stages.NewStatistics() // here and on each worker
//		err = sums.AddBlock(ctx, block)     // on each worker; Merge and the bytes bring the parts together
//		err = stages.FitStatistics(ctx, sums)
//	}
//	err = streaming.FitStages(ctx, model, stages)
package streaming

import (
	"context"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// Target is the type of the target of a row: [None] for transformers, float64 for regressors, int for classifiers.
type Target interface{ None | float64 | int }

// None is the target of rows without targets, to which a transformer is fitted.
type None struct{}

// Block holds consecutive rows of a stream.
type Block[Y Target] struct {
	X       *mat.Dense // r×d, with NaN for gaps if the model accepts gaps
	Y       []Y        // r targets or labels, or nil for None
	Weights []float64  // r weights, or nil for weights of 1; nil for None: transformers do not use weights
}

// Rows returns a block with the rows of x, without targets.
func Rows(x *mat.Dense) Block[None] { return Block[None]{X: x} }

// BlockFitter is the capability to fit from a stream of rows that are not all in memory, such as a file or a query.
type BlockFitter[Y Target] interface {
	// FitBlocks is like Fit, or FitWeighted if there are weights, for the rows of all blocks, one after the other. The sizes of the
	// blocks do not matter. FitBlocks iterates once or several times. The iterator must yield the same rows in the same order each
	// time, otherwise the error is ErrParam. The contents of a block may be overwritten when the next block is requested. FitBlocks
	// returns the errors of Fit, with rows counted from the first row of the stream, and those of the iterator. It checks ctx after
	// each block, and within large blocks.
	FitBlocks(ctx context.Context, blocks iter.Seq2[Block[Y], error]) error
}
