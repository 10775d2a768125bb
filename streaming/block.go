// Package streaming holds the contracts of a fit from rows that are not all in one place: they come from a file or a
// query in blocks ([BlockFitter]), or lie on several machines or arrive over time, and are summed up in parts that are
// merged ([Statistics]).
//
// Every type is generic over what is known of a row, its [Target]: [None] for transformers, a number for regressors, a
// class for classifiers.
//
// # Statistics
//
// What a model learns from sums over the rows it learns from [Statistics]: AddBlock takes rows in, Merge takes in the
// rows of others, in any order and grouping, and their bytes travel with a checksum. NewStatistics of a
// [StatisticsFitter] makes empty ones, which also read bytes; FitStatistics learns. A model that needs several passes
// over the rows, such as a pipeline, has [Stages]: each pass sums up what the stage learns from, and the bytes of the
// stages tell a worker where the fit stands. [NewStages] and [FitStages] treat both alike, so an engine needs no more
// than this loop:
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

// Target is the type of what is known of each row: [None] for transformers, float64 for regressors, int for
// classifiers.
type Target interface{ None | float64 | int }

// None is the target of rows that have none, those that a transformer learns from.
type None struct{}

// Block is some rows of a stream.
type Block[Y Target] struct {
	X       *mat.Dense // r×d, with NaN for gaps where the model takes gaps
	Y       []Y        // r targets or labels; nil for None
	Weights []float64  // r, or nil for weights of 1; nil for None, since transformers take no weights
}

// Rows returns the block of the rows of x, without targets.
func Rows(x *mat.Dense) Block[None] { return Block[None]{X: x} }

// BlockFitter is the capability to fit from a stream of rows that are not all in memory, such as a file or a query.
type BlockFitter[Y Target] interface {
	// FitBlocks is Fit, or FitWeighted where there are weights, on the rows of all blocks, one after the other, whatever
	// their sizes are. The iterator is run from its beginning once or a few times, and has to give the same rows in the
	// same order each time: ErrParam if it does not. What a block holds may be overwritten once the next one is asked
	// for. Errors are Fit's, in which rows are counted from the first of the stream, and the iterator's. ctx is looked
	// at after each block, and within large ones.
	FitBlocks(ctx context.Context, blocks iter.Seq2[Block[Y], error]) error
}
