package arrow

import (
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// Collect puts the rows of a stream into one block of its own memory, for Fit and FitWeighted. A maxBytes of 0 is 1 GiB.
// Errors: the stream's; ErrShape for a stream of no rows, or blocks of different widths; ErrTooLarge before more than maxBytes
// is taken.
func Collect[Y streaming.Target](blocks iter.Seq2[streaming.Block[Y], error], maxBytes int64) (streaming.Block[Y], error) {
	const cell = 8 // bytes
	var none streaming.Block[Y]
	if maxBytes < 0 {
		return none, fault.Param("arrow: Collect", "maxBytes", maxBytes, ">= 1, or 0 for 1 GiB")
	}
	if maxBytes == 0 {
		maxBytes = defaultMaxBytes
	}
	var out streaming.Block[Y]
	var x []float64
	n, width := 0, 0
	for b, err := range blocks {
		if err != nil {
			return none, err
		}
		rows, d := b.X.Dims()
		if width == 0 {
			width = d
		}
		if d != width {
			return none, fault.Shape("a block has", d, "columns", "the first one has %d", width)
		}
		// Slices grow by doubling at the most, and the old one is there while the new one is filled.
		if need := 3 * cell * int64(n+rows) * int64(d+2); need > maxBytes {
			return none, &fault.TooLargeError{What: "the rows in one block", Bytes: need, Limit: maxBytes,
				Hint: "FitBlocks takes the stream as it is"}
		}
		for i := range rows {
			x = append(x, b.X.RawRowView(i)...)
		}
		n += rows
		out.Y = append(out.Y, b.Y...)
		out.Weights = append(out.Weights, b.Weights...)
	}
	if n == 0 {
		return none, fault.Shape("the stream has", 0, "rows", "want at least 1")
	}
	out.X = mat.NewDense(n, width, x)
	return out, nil
}
