package ridge

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/sparse"
)

const (
	// Conjugate gradients end when the gradient has decreased by the factor solvedBy, or after mostIterations.
	solvedBy       = 1e-10
	mostIterations = 3000
)

// centredRows is the matrix Z of the rows minus their means, times √w.
type centredRows struct {
	x     *sparse.Rows
	root  []float64 // √w
	means []float64
}

// times sets dst = Zv.
func (z *centredRows) times(dst, v []float64) {
	shift := floats.Dot(z.means, v)
	for i, r := range z.root {
		columns, values := z.x.Row(i)
		sum := -shift
		for at, j := range columns {
			sum += values[at] * v[j]
		}
		dst[i] = r * sum
	}
}

// transposed sets dst = Z'u.
func (z *centredRows) transposed(dst, u []float64) {
	sum := floats.Dot(z.root, u)
	for j, m := range z.means {
		dst[j] = -sum * m
	}
	for i, r := range z.root {
		columns, values := z.x.Row(i)
		for at, j := range columns {
			dst[j] += r * u[i] * values[at]
		}
	}
}

// squares returns the sum of the squares of Z.
func (z *centredRows) squares() float64 {
	total, shift := 0., floats.Dot(z.means, z.means)
	for i, r := range z.root {
		columns, values := z.x.Row(i)
		own := shift
		for at, j := range columns {
			own += values[at] * (values[at] - 2*z.means[j])
		}
		total += r * r * own
	}
	return total
}

// iterate chooses the ridge with the smallest generalised cross-validation error, and then solves the system by conjugate
// gradients.
func (s modelSettings) iterate(ctx context.Context, m *model, x *sparse.Rows, y *mat.Dense, own []float64, groups [][]int) error {
	n, k := y.Dims()
	if groups != nil {
		return fault.Param(s.typ, "Groups", fmt.Sprintf("groups of %d sparse rows", n),
			fmt.Sprintf("nil without an intercept or above %d distinct rows, which are not left out", mostFactored))
	}
	m.sparse = gradientSolver
	z, t := &centredRows{x: x, root: make([]float64, n), means: m.means}, make([][]float64, k)
	for i := range z.root {
		z.root[i] = math.Sqrt(weights.Weight(own, i))
	}
	for c := range t {
		t[c] = mat.Col(nil, c, y)
		if !s.noIntercept {
			for i, v := range t[c] {
				m.target[c] += z.root[i] * z.root[i] * m.spread * v
			}
			floats.AddConst(-m.target[c], t[c])
		}
		floats.Mul(t[c], z.root)
	}
	v := z.squares()
	for _, t := range t {
		v += floats.Dot(t, t)
	}
	if v-v != 0 {
		return overflow(s.typ)
	}
	choice, solving := progress.Two(ctx, 2, 1)
	validated := newCrossValidation(z, t, s, m)
	if err := validated.choose(choice, m); err != nil {
		return err
	}
	converged := make([]bool, k)
	err := parallel.ForEach(solving, s.workers, k, func(c int) (err error) {
		ridge := m.ridges[m.groupOf(c)]
		var squares float64
		if squares, converged[c], err = z.solve(solving, m.coefficients.RawRowView(c), t[c], ridge); err != nil {
			return err
		}
		if free := validated.free(ridge); free > 0 {
			m.noise[c] = squares / free
		}
		return nil
	})
	for c, ok := range converged {
		if err == nil && !ok {
			m.report.Converged = false
			m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("target %d: conjugate gradients ended after %d iterations", c,
				mostIterations))
		}
	}
	return err
}

// solve sets beta to (Z'Z + ridge·I)⁻¹Z't by conjugate gradients on the least-squares problem, beginning with beta = 0. It returns
// the sum of the squared residuals.
func (z *centredRows) solve(ctx context.Context, beta, t []float64, ridge float64) (squares float64, converged bool, err error) {
	r, s, p, q := append([]float64(nil), t...), make([]float64, len(beta)), make([]float64, len(beta)), make([]float64, len(t))
	z.transposed(s, r)
	copy(p, s)
	gamma := floats.Dot(s, s)
	least := solvedBy * solvedBy * gamma
	for i := 0; i < mostIterations && gamma > least; i++ {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		z.times(q, p)
		step := gamma / (floats.Dot(q, q) + ridge*floats.Dot(p, p))
		floats.AddScaled(beta, step, p)
		floats.AddScaled(r, -step, q)
		z.transposed(s, r)
		floats.AddScaled(s, -ridge, beta)
		next := floats.Dot(s, s)
		floats.Scale(next/gamma, p)
		floats.Add(p, s)
		gamma = next
	}
	return floats.Dot(r, r), gamma <= least, nil
}
