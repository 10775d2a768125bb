package conformal

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// blockNumbers limits how many numbers b of several new rows are in memory.
const blockNumbers = 1 << 21

// scores returns a function that returns, for a row of x, the members whose scores its interval uses.
func (r *Regressor) scores(x *mat.Dense) (func(i int) members, error) {
	m := r.m
	rows := m.held
	ratios := m.shares
	var own []float64
	var groups, group []int
	var err error
	if r.LikelihoodRatio != nil {
		if ratios, err = r.ratios(m.rows); err == nil {
			own, err = r.ratios(x)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.Group != nil {
		groups, group = r.groups(m.rows), r.groups(x)
	}
	within := map[int]members{}
	pickOf := func(g int) members {
		out := members{rows: counted(rows, groups, g), ratio: 1}
		out.ratios = linalg.Pick(ratios, out.rows)
		return out
	}
	for _, g := range group {
		if _, ok := within[g]; !ok {
			within[g] = pickOf(g)
		}
	}
	if group == nil {
		within[0] = pickOf(0)
	}
	return func(i int) members {
		var out members
		if group != nil {
			out = within[group[i]]
		} else {
			out = within[0]
		}
		if own != nil {
			out.ratio = own[i]
		}
		return out
	}, nil
}

func (r *Regressor) ratios(x *mat.Dense) ([]float64, error) {
	n, _ := x.Dims()
	out := make([]float64, n)
	for i := range out {
		if out[i] = r.LikelihoodRatio(x.RawRowView(i)); !(out[i] >= 0) || out[i]-out[i] != 0 {
			return nil, fmt.Errorf("row %d: %w", i, fault.Param(regressorType, "LikelihoodRatio", out[i], "finite and >= 0"))
		}
	}
	return out, nil
}

func (r *Regressor) groups(x *mat.Dense) []int {
	n, _ := x.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = r.Group(x.RawRowView(i))
	}
	return out
}

// smoothed computes the intervals of the rows of x from the linear system of all rows.
func (r *Regressor) smoothed(x *mat.Dense, of func(int) members, level float64, low, high []float64) error {
	ctx := context.Background()
	machine, err := r.m.smoother(ctx)
	if err != nil {
		return err
	}
	a, c := machine.Rows()
	residuals := mat.Col(nil, 0, a)
	n, d := x.Dims()
	step := min(max(blockNumbers/len(c), 1), 512)
	for from := 0; from < n; from += step {
		to := min(from+step, n)
		f, b, s, err := machine.Influence(ctx, x.Slice(from, to, 0, d))
		if err != nil {
			return fault.FromRow(err, from)
		}
		err = parallel.ForEach(ctx, r.Workers, to-from, func(i int) error {
			row := influenced{a: residuals, c: c, b: b.RawRowView(i), f: f.At(i, 0), s: s[i]}
			l, h := row.interval(r.m.method, of(from+i), level)
			low[from+i], high[from+i] = min(l, row.f), max(h, row.f)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
