package kernels

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
)

// Shared makes the matrices of many kernels on the same rows. The inner products,
// squared distances and Manhattan distances that kernels are made of are computed for
// the first kernel that needs them and kept, so that each further matrix of a search
// costs one pass over its elements, O(n²) in place of O(n²d). It is safe for concurrent
// use. Memory: n²/2 float64 for each of the three that is needed, and three copies of x.
type Shared struct {
	x       *mat.Dense
	shift   []float64
	sides   []*operand
	options Options
}

// SharedCross is Shared for the pairs of two sets of rows. Memory: nm float64 for each
// thing that is kept.
type SharedCross struct {
	x, z         *mat.Dense
	shift        []float64
	xSide, zSide []*operand
	options      Options
}

// Share prepares the rows of x (n×d), which it copies. Nil opt means the defaults;
// MaxBytes limits each of the matrices. Errors: those of Matrix.
func Share(ctx context.Context, x mat.Matrix, opt *Options) (_ *Shared, err error) {
	defer check.Begin(&ctx)(&err)
	o, xd, err := prepareOne(x, opt)
	if err != nil {
		return nil, err
	}
	s := &Shared{x: mat.DenseCopyOf(xd), shift: meanRow(xd), options: o}
	if s.sides, err = operands(ctx, &layout{need: needDots | needDistances | needManhattan}, s.x, s.shift, o.Workers); err != nil {
		return nil, err
	}
	enter(s.sides, newPairs(len(s.sides), len(s.sides)))
	return s, nil
}

// Matrix returns the n×n kernel matrix, the very numbers that the function Matrix gives.
func (s *Shared) Matrix(ctx context.Context, k Kernel) (_ *mat.SymDense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := Validate(k); err != nil {
		return nil, err
	}
	if err := ValidateColumns(k, len(s.shift)); err != nil {
		return nil, err
	}
	p := compile(k)
	sides, err := withViews(ctx, s.sides, &p.layout, s.options.Workers)
	if err != nil {
		return nil, err
	}
	return matrix(ctx, k, p, s.x, sides, s.options)
}

// ShareCross prepares the rows of x (n×d) and z (m×d), which it copies. Errors: those of
// Cross.
func ShareCross(ctx context.Context, x, z mat.Matrix, opt *Options) (_ *SharedCross, err error) {
	defer check.Begin(&ctx)(&err)
	o, xd, zd, err := prepareTwo(x, z, opt)
	if err != nil {
		return nil, err
	}
	s := &SharedCross{x: mat.DenseCopyOf(xd), z: mat.DenseCopyOf(zd), shift: meanRow(zd), options: o}
	if s.xSide, err = operands(ctx, &layout{need: needDots | needDistances | needManhattan}, s.x, s.shift, o.Workers); err != nil {
		return nil, err
	}
	if s.zSide, err = operands(ctx, &layout{need: needDots | needDistances | needManhattan}, s.z, s.shift, o.Workers); err != nil {
		return nil, err
	}
	kept := newPairs(len(s.xSide), len(s.zSide))
	enter(s.xSide, kept)
	enter(s.zSide, kept)
	return s, nil
}

// Cross returns the n×m matrix of k(x[i], z[j]), the very numbers that the function Cross
// gives.
func (s *SharedCross) Cross(ctx context.Context, k Kernel) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := Validate(k); err != nil {
		return nil, err
	}
	if err := ValidateColumns(k, len(s.shift)); err != nil {
		return nil, err
	}
	p := compile(k)
	x, err := withViews(ctx, s.xSide, &p.layout, s.options.Workers)
	if err != nil {
		return nil, err
	}
	z, err := withViews(ctx, s.zSide, &p.layout, s.options.Workers)
	if err != nil {
		return nil, err
	}
	n, _ := s.x.Dims()
	m, _ := s.z.Dims()
	out := mat.NewDense(n, m, nil)
	if err := cross(ctx, k, p, out, func(i int) *operand { return x[i] }, z, s.options); err != nil {
		return nil, err
	}
	return out, nil
}

// pairKind is what is kept of a pair of blocks.
type pairKind int

const (
	pairDots pairKind = iota
	pairDistances
	pairManhattan
	pairKinds
)

// pairs keeps, for each pair of blocks of two sides, what kernels are made of.
type pairs struct {
	columns int
	slots   [pairKinds][]slot
}

type slot struct {
	once   sync.Once
	values *mat.Dense
}

func newPairs(rows, columns int) *pairs {
	p := &pairs{columns: columns}
	for kind := range p.slots {
		p.slots[kind] = make([]slot, rows*columns)
	}
	return p
}

// forget makes all pairs new, in the memory that they have.
func (p *pairs) forget() {
	for kind := range p.slots {
		for i := range p.slots[kind] {
			p.slots[kind][i].once = sync.Once{}
		}
	}
}

// enter tells the operands of a side where their pairs are kept.
func enter(side []*operand, p *pairs) {
	for i, o := range side {
		o.pairs, o.index = p, i
	}
}

// keep returns what compute makes of the blocks x and z: in dst, or, where they keep it,
// what it made of them the first time, which is not to be written to.
func keep(kind pairKind, dst *mat.Dense, x, z *operand, compute func(dst *mat.Dense)) *mat.Dense {
	if x.pairs == nil {
		compute(dst)
		return dst
	}
	s := &x.pairs.slots[kind][x.index*x.pairs.columns+z.index]
	s.once.Do(func() {
		if s.values == nil {
			r, c := dst.Dims()
			s.values = mat.NewDense(r, c, nil)
		}
		compute(s.values)
	})
	return s.values
}
