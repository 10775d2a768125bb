package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// Problem is the ridge regression of the targets of a source on the features of a basis.
type Problem struct {
	Settings
	*machine.Basis
	src    *rows.Source
	offset []float64 // ȳ, or zeros without an intercept
	centre []float64 // z̄; nil before the first pass, and without an intercept

	keep int // largest number of rows in a LeftOut

	Passes int
	parts  *progress.Series // progress of the passes and factors; nil without an observer
}

// NewProblem returns the problem for a basis and rows, before the first pass.
func NewProblem(s Settings, b *machine.Basis, src *rows.Source) *Problem {
	p := &Problem{Settings: s, Basis: b, src: src, offset: make([]float64, src.K), keep: keptRows}
	if !s.NoIntercept {
		copy(p.offset, src.Mean)
	}
	return p
}

// block calls f with memory for the features of the given number of rows.
func (p *Problem) block(rows int, f func(z *mat.Dense) error) error {
	memory := rowwise.Scratch(rows * p.M)
	defer rowwise.Release(memory)
	return f(mat.NewDense(rows, p.M, *memory))
}

// pass does a pass over all rows. It calls Observe after each tenth of the pass and at its end.
func (p *Problem) pass(ctx context.Context, name string, objective float64, size, wave int, work func(slot int, b rows.Batch) error,
	done func(b rows.Batch) error) error {
	p.Passes++
	told := 0
	loop := progress.NewLoop(p.nextContext(ctx))
	defer loop.End()
	return p.src.Pass(ctx, p.Workers, size, wave, counted(loop, p.src.N, work), func(b rows.Batch) error {
		if err := done(b); err != nil {
			return err
		}
		last := b.First + b.Rows()
		loop.Report(float64(last) / float64(p.src.N))
		if tenth := 10 * last / p.src.N; tenth > told {
			told = tenth
			p.say(objective, fmt.Sprintf("pass %d, %s: %d of %d size", p.Passes, name, last, p.src.N))
		}
		return nil
	})
}

// workShare is the approximate share of a pass that the blocks take. The remaining work is done after each wave of blocks.
const workShare = .8

// counted returns a function that calls work for a block and reports the block to loop. There are n rows in total.
func counted(loop *progress.Loop, n int, work func(slot int, b rows.Batch) error) func(slot int, b rows.Batch) error {
	if loop == nil {
		return work
	}
	return func(slot int, b rows.Batch) error {
		err := work(slot, b)
		if err == nil {
			loop.Add(workShare * float64(b.Rows()) / float64(n))
		}
		return err
	}
}

func (p *Problem) say(objective float64, message string) {
	p.Steps.Next(objective, "%s", message)
}

// nextContext returns the context of the next pass or factor.
func (p *Problem) nextContext(ctx context.Context) context.Context {
	if p.parts == nil {
		return ctx
	}
	return p.parts.Next()
}

// panelBlocks is the number of wide blocks of features that are multiplied at once for the normal equations.
const panelBlocks = 4

// normal holds the normal equations of features and targets.
type normal struct {
	g *mat.SymDense // Z~'WZ~, M×M
	r *mat.Dense    // products with the targets minus their offsets, k×M
}

// normals computes the normal equations in one pass, and sets the centre.
func (p *Problem) normals(ctx context.Context) (*normal, error) {
	sum := make([]float64, p.M)
	out, err := p.products(ctx, p.src, nil, sum, p.named(ctx, "normal equations"))
	if err != nil {
		return nil, err
	}
	p.centreBy(out, p.src, sum)
	return out, nil
}

// centreBy computes z̄ from sum, the sum of the features over a source. It converts Z'WZ and Z'W(y - offset) to the products with
// centred features.
func (p *Problem) centreBy(of *normal, src *rows.Source, sum []float64) {
	if p.NoIntercept {
		return
	}
	floats.Scale(1/src.Weight, sum)
	p.centre = sum
	of.g.SymRankOne(of.g, -src.Weight, mat.NewVecDense(p.M, sum))
	for j, mean := range src.Mean {
		linalg.Axpy(-src.Weight*(mean-p.offset[j]), sum, of.r.RawRowView(j))
	}
}

// products returns the sums of Z'WZ and Z'W(y - offset) over the rows of a source. If sum is not nil, Z'W1 is added to it. If
// centre is not nil, it is subtracted from the features.
func (p *Problem) products(ctx context.Context, src *rows.Source, centre, sum []float64, pass passing) (*normal, error) {
	height := min(panelBlocks*rows.WideRows, src.N)
	panel, right := mat.NewDense(height, p.M, nil), mat.NewDense(height, src.K+1, nil)
	out := &normal{g: mat.NewSymDense(p.M, nil), r: mat.NewDense(src.K, p.M, nil)}
	total := mat.NewDense(src.K+1, p.M, nil)
	work := func(slot int, b rows.Batch) error {
		from := slot * rows.WideRows
		z, t := rows.Window(panel, from, from+b.Rows()), rows.Window(right, from, from+b.Rows())
		if err := p.Features(ctx, z, b, centre); err != nil {
			return err
		}
		for i := range b.Rows() {
			root, row := math.Sqrt(b.Weight(i)), t.RawRowView(i)
			for j, v := range b.Y.RawRowView(i) {
				row[j] = root * (v - p.offset[j])
			}
			row[src.K] = root
			if root != 1 {
				floats.Scale(root, z.RawRowView(i))
			}
		}
		return nil
	}
	done := func(b rows.Batch) error {
		z, t := rows.Window(panel, 0, b.Rows()), rows.Window(right, 0, b.Rows())
		fast.Gemm(blas.Trans, blas.NoTrans, 1, t.RawMatrix(), z.RawMatrix(), 1, total.RawMatrix())
		return addProduct(ctx, p.Workers, out.g, z)
	}
	if err := pass(work, done); err != nil {
		return nil, err
	}
	out.r.Copy(total.Slice(0, src.K, 0, p.M))
	if sum != nil {
		copy(sum, total.RawRowView(src.K))
	}
	return out, nil
}

// addProduct adds z'z to g, in strips of columns on all workers.
func addProduct(ctx context.Context, workers int, g *mat.SymDense, z *mat.Dense) error {
	const strip = 256 // a wider strip computes more products that are not used, a narrower one packs more
	raw, a := g.RawSymmetric(), z.RawMatrix()
	return parallel.ForEach(ctx, workers, (raw.N+strip-1)/strip, func(s int) error {
		// The last strips are the longest, and are computed first.
		last := raw.N - s*strip
		first := max(0, last-strip)
		above := blas64.General{Rows: a.Rows, Cols: last, Stride: a.Stride, Data: a.Data}
		own := blas64.General{Rows: a.Rows, Cols: last - first, Stride: a.Stride, Data: a.Data[first:]}
		to := blas64.General{Rows: last, Cols: last - first, Stride: raw.Stride, Data: raw.Data[first:]}
		return fast.GemmContext(ctx, blas.Trans, blas.NoTrans, 1, above, own, 1, to)
	})
}

// shifted returns the Cholesky factor of G + ridge·I, and leaves G unchanged. It returns ErrNotPSD or the error of ctx.
func shifted(ctx context.Context, what string, g *mat.SymDense, ridge float64) (*linalg.Cholesky, error) {
	n := g.SymmetricDim()
	own := mat.NewSymDense(n, nil)
	own.CopySym(g)
	for i := range n {
		own.SetSym(i, i, own.At(i, i)+ridge)
	}
	return linalg.NewCholesky(ctx, what, own)
}

// solveRows overwrites the rows b' of a matrix with (A⁻¹b)'. It returns the error of ctx.
func solveRows(ctx context.Context, chol *linalg.Cholesky, b *mat.Dense) error {
	columns := mat.DenseCopyOf(b.T())
	err := chol.Solve(ctx, columns)
	b.Copy(columns.T())
	return err
}
