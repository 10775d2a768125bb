package transformers

import (
	"context"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// BlockFitter is the capability to fit from a stream of rows that are not all in memory, such as a file or a query.
type BlockFitter interface {
	// FitBlocks is Fit on the rows of all blocks, one after the other, whatever their sizes are.
	// The iterator is run from its beginning once or a few times, and has to give the same rows in
	// the same order each time: ErrParam if it does not. What a block holds may be overwritten
	// once the next one is asked for. Errors are Fit's, in which rows are counted from the first of
	// the stream, and the iterator's. ctx is looked at after each block, and within large ones.
	FitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) error
}
