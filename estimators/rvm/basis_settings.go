package rvm

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

// basisSettings holds the fields of Regressor and Classifier that define the basis.
type basisSettings struct {
	typ        string
	config     any // the Regressor or Classifier
	kernel     kernels.Kernel
	kernels    []kernels.Kernel
	landmarks  *mat.Dense
	components int
	seed       uint64
	cacheBytes int64
	workers    int
}

func (p basisSettings) validate() error {
	err := settings.Check(p.typ, p.config)
	if err == nil && p.kernel != nil && len(p.kernels) > 0 {
		err = fault.Param(p.typ, "Kernels", len(p.kernels), "nil with Kernel: list that kernel in Kernels too")
	}
	for i, k := range p.kernels {
		if err == nil && check.IsNil(k) {
			err = fault.Param(p.typ, fmt.Sprintf("Kernels[%d]", i), k, "a kernel")
		}
		if err == nil {
			err = kernels.Validate(k)
		}
	}
	return err
}

// configured returns the kernels of the fields. It returns none if Fit chooses the kernel.
func (p basisSettings) configured() basis.Dictionary {
	if p.kernel != nil {
		return basis.Dictionary{p.kernel}
	}
	return p.kernels
}

func (p basisSettings) bytes() int64 { return cmp.Or(p.cacheBytes, defaultCacheBytes) }

// onRows returns the design of the kernels for distinct rows. If no kernel is set, it fits one to the targets that the function
// wanted returns.
func (p basisSettings) onRows(ctx context.Context, rows *distinct.Rows,
	wanted func() (learning.Targets, learning.Kind)) (d basis.Design, err error) {
	used := p.configured()
	if len(used) == 0 {
		learnt, err := p.learntKernel(ctx, rows.X, wanted)
		if err != nil {
			return d, err
		}
		used = basis.Dictionary{learnt}
	}
	_, width := rows.X.Dims()
	if err := used.ValidateColumns(width); err != nil {
		return d, err
	}
	centres, which, err := p.centres(rows.X)
	if err != nil {
		return d, err
	}
	return basis.NewDesign(rows, used, centres, which), nil
}

// centres returns the centres of the basis functions. If they are training rows, it also returns the numbers of these rows.
func (p basisSettings) centres(x *mat.Dense) (*mat.Dense, []int, error) {
	n, d := x.Dims()
	if p.landmarks != nil {
		l, err := check.Dense("Landmarks", p.landmarks)
		if err != nil {
			return nil, nil, err
		}
		if _, c := l.Dims(); c != d {
			return nil, nil, fault.Shape("Landmarks has", c, "columns", "x has %d", d)
		}
		return l, nil, nil
	}
	if p.components == 0 || p.components >= n {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		return x, rows, nil
	}
	rows := rand.New(rand.NewPCG(p.seed, 0x62617369_73)).Perm(n)[:p.components] // the stream "basis"
	slices.Sort(rows)
	return linalg.Rows(x, rows), rows, nil
}

// designRows checks and returns a design matrix, which must have as many rows as there are targets.
func designRows(phi mat.Matrix, targets int) (*mat.Dense, error) {
	pd, err := check.Dense("phi", phi)
	if err != nil {
		return nil, err
	}
	if n, _ := pd.Dims(); targets != n {
		return nil, fault.Shape("y has", targets, "entries", "phi has %d rows", n)
	}
	return pd, nil
}
