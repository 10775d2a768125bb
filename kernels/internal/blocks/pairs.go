package blocks

import (
	"sync"

	"gonum.org/v1/gonum/mat"
)

// pairKind is a kind of values that are kept for a pair of blocks.
type pairKind int

const (
	pairDots pairKind = iota
	pairDistances
	pairManhattan
	pairKinds
)

// pairs keeps the values from which kernels are computed, for each pair of blocks of two sides.
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

// forget clears all pairs and keeps their memory.
func (p *pairs) forget() {
	for kind := range p.slots {
		for i := range p.slots[kind] {
			p.slots[kind][i].once = sync.Once{}
		}
	}
}

// enter records in the operands of a side where their pairs are kept.
func enter(side []*operand, p *pairs) {
	for i, o := range side {
		o.pairs, o.index = p, i
	}
}

// keep returns the result of compute for the blocks x and z. If the operands keep it, it is in the memory of the first call, which
// the caller must not change. Otherwise it is in dst.
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
