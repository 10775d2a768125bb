package orthogonal

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	lapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// qrPanel is the number of columns reduced before the remaining columns are updated.
const qrPanel = 48

// panelOf holds the reflectors of some columns. Their product is I - VᵀTV.
type panelOf struct {
	v      blas64.General // count×(m - first), with a 1 in column r of row r
	factor blas64.Triangular
}

// ThinQR overwrites a (m×n, m ≥ n) with Q, whose n columns are orthonormal, and returns the upper triangular R (n×n), A = QR.
// gonum's QR computes the full m×m factor. It costs 4n²(m - n/3), with memory for another copy of a. It returns ctx's error, and a
// is then unusable.
func ThinQR(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	m, n := a.Dims()
	reduction, forming := progress.Two(ctx, 1.5, 1)
	r, panels, err := reduceColumns(reduction, a)
	if err != nil {
		return nil, err
	}
	for i := range m {
		clear(a.RawRowView(i))
		if i < n {
			a.Set(i, i, 1)
		}
	}
	product := make([]float64, qrPanel*n)
	loop := progress.NewLoop(forming)
	defer loop.End()
	for k := len(panels) - 1; k >= 0; k-- {
		first := k * qrPanel
		loop.Report(float64(n-first) / float64(n))
		if err := linalg.ApplyReflectors(forming, behind(a, first, first), panels[k].v, blas.NoTrans, panels[k].factor,
			product); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// behind returns the submatrix of a that starts at the given row and column.
func behind(a *mat.Dense, row, column int) blas64.General {
	raw := a.RawMatrix()
	return blas64.General{Rows: raw.Rows - row, Cols: raw.Cols - column, Stride: raw.Stride, Data: raw.Data[row*raw.Stride+column:]}
}

// reduceColumns returns R of a (m×n, m ≥ n), and the reflectors whose product is Q. It overwrites a. It costs 2n²(m - n/3). It
// returns ctx's error.
func reduceColumns(ctx context.Context, a *mat.Dense) (r *mat.Dense, panels []panelOf, err error) {
	_, n := a.Dims()
	r = mat.NewDense(n, n, nil)
	product := make([]float64, qrPanel*n)
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for first := 0; first < n; first += qrPanel {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		left := float64(n-first) / float64(n)
		loop.Report(1 - left*left)
		count := min(qrPanel, n-first)
		p := reducePanelOf(a, r, first, count)
		panels = append(panels, p)
		if first+count < n {
			if err := linalg.ApplyReflectors(ctx, behind(a, first, first+count), p.v, blas.Trans, p.factor, product); err != nil {
				return nil, nil, err
			}
		}
		for i := first; i < first+count; i++ {
			copy(r.RawRowView(i)[first+count:], a.RawRowView(i)[first+count:])
		}
	}
	return r, panels, ctx.Err()
}

// reducePanelOf finds the reflectors of some columns of a, from the diagonal on, and writes their triangle to r.
func reducePanelOf(a, r *mat.Dense, first, count int) panelOf {
	m, _ := a.Dims()
	long := m - first
	v := blas64.General{Rows: count, Cols: long, Stride: long, Data: make([]float64, count*long)}
	for i := range long { // transpose the columns
		for j, x := range a.RawRowView(first + i)[first : first+count] {
			v.Data[j*long+i] = x
		}
	}
	var impl lapack.Implementation
	tau, along := make([]float64, count), make([]float64, count)
	for j := range count {
		row := v.Data[j*long : (j+1)*long]
		for i, x := range row[:j] {
			r.Set(first+i, first+j, x)
			row[i] = 0
		}
		var beta float64
		beta, tau[j] = impl.Dlarfg(long-j, row[j], row[j+1:], 1)
		r.Set(first+j, first+j, beta)
		row[j] = 1
		if behind := count - j - 1; behind > 0 {
			rest := blas64.General{Rows: behind, Cols: long - j, Stride: long, Data: v.Data[(j+1)*long+j:]}
			fast.Gemv(blas.NoTrans, -tau[j], rest, linalg.Vector(row[j:]), 0, linalg.Vector(along[:behind]))
			for i, x := range along[:behind] {
				linalg.Axpy(x, row[j:], v.Data[(j+1+i)*long+j:(j+2+i)*long])
			}
		}
	}
	factor := blas64.Triangular{N: count, Stride: count, Data: make([]float64, count*count), Uplo: blas.Upper, Diag: blas.NonUnit}
	linalg.ReflectorFactor(v, tau, factor, blas64.General{Rows: count, Cols: count, Stride: count, Data: make([]float64, count*count)})
	return panelOf{v, factor}
}
