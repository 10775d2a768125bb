package solver

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// kernelPass does a pass in which each block of the kernel is computed, used twice and discarded. The rows s may be nil. The
// function weigh receives, for row i of K, the products q of that row with each row of s. It sets v, which has outputs elements,
// and adds to the extras sums. kernelPass returns v'K summed over the rows, outputs×M, and the sums. The cost is n(M(d + c +
// outputs)) for c rows of s.
func (p *Problem) kernelPass(ctx context.Context, name string, objective float64, s *mat.Dense, outputs, extras int,
	weigh func(b rows.Batch, i int, q, v, sums []float64)) (*mat.Dense, []float64, error) {
	c := 0
	if s != nil {
		c, _ = s.Dims()
	}
	// Sums are computed in the order of the blocks, whatever the number of workers.
	wave := 8 * p.Workers
	slots, sums := make([]*mat.Dense, wave), make([][]float64, wave)
	total, totals := mat.NewDense(outputs, p.M, nil), make([]float64, extras)
	work := func(slot int, b rows.Batch) error {
		if slots[slot] == nil {
			slots[slot], sums[slot] = mat.NewDense(outputs, p.M, nil), make([]float64, extras)
		}
		clear(slots[slot].RawMatrix().Data)
		clear(sums[slot])
		return p.block(b.Rows(), func(k *mat.Dense) error {
			if err := p.KernelRows(ctx, k, b); err != nil {
				return err
			}
			t := &turn{k: k, s: s, c: c, out: slots[slot], weigh: func(i int, q, v []float64) { weigh(b, i, q, v, sums[slot]) }}
			if c <= machine.FewColumns && outputs <= machine.FewColumns {
				t.byRows()
			} else {
				t.byProducts()
			}
			return nil
		})
	}
	err := p.pass(ctx, name, objective, rows.BlockRows, wave, work, func(b rows.Batch) error {
		for i := range rows.BlockCount(b.Rows(), rows.BlockRows) {
			floats.Add(total.RawMatrix().Data, slots[i].RawMatrix().Data)
			floats.Add(totals, sums[i])
		}
		return nil
	})
	return total, totals, err
}

// turn holds the memory for one block of the kernel.
type turn struct {
	k, s  *mat.Dense
	c     int
	out   *mat.Dense // outputs×M, initially zero
	weigh func(i int, q, v []float64)
}

func (t *turn) byRows() {
	r, _ := t.k.Dims()
	outputs, _ := t.out.Dims()
	q, v := make([]float64, t.c), make([]float64, outputs)
	for i := range r {
		row := t.k.RawRowView(i)
		for j := range q {
			q[j] = linalg.Dot(row, t.s.RawRowView(j))
		}
		t.weigh(i, q, v)
		for j, a := range v {
			linalg.Axpy(a, row, t.out.RawRowView(j))
		}
	}
}

func (t *turn) byProducts() {
	r, _ := t.k.Dims()
	outputs, _ := t.out.Dims()
	// A few long rows are multiplied faster than many short ones.
	across, q, v := mat.NewDense(max(t.c, 1), r, nil), make([]float64, t.c), mat.NewDense(r, outputs, nil)
	if t.c > 0 {
		fast.Gemm(blas.NoTrans, blas.Trans, 1, t.s.RawMatrix(), t.k.RawMatrix(), 0, across.RawMatrix())
	}
	for i := range r {
		for j := range q {
			q[j] = across.At(j, i)
		}
		t.weigh(i, q, v.RawRowView(i))
	}
	fast.Gemm(blas.Trans, blas.NoTrans, 1, v.RawMatrix(), t.k.RawMatrix(), 1, t.out.RawMatrix())
}
