package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// dimensions lists the dimensions of the paper's Table 1.
var dimensions = []int{1, 10, 100, 200, 500}

// table1 holds the correlations of the paper's Table 1.
var table1 = map[string][]float64{
	"australian": {.928, -.022, .295, .161, .235}, "breast-cancer": {.628, .809, .812, .858, .788},
	"diabetes-pima": {-.983, -.976, -.941, -.982, -.952},
	"german-numer":  {.916, .979, .877, .873, .839}, "heart": {.964, .829, .931, .91, .893}, "ionosphere": {.999, .988, .98, .978, .984},
	"liver-disorders": {.232, .308, .363, .33, .312}, "sonar": {-.31, -.542, -.41, -.407, -.381},
	"splice":   {-.284, -.036, -.165, -.118, -.101},
	"abalone7": {1, .999, .999, .999, .998}, "arrhythmia": {1, 1, .999, 1, 1}, "car-eval-34": {1, .998, .998, .997, .997},
	"ecoli": {.964, .994, .995, .998, .995}, "libras-move": {1, .999, .999, 1, 1}, "oil-spill": {1, 1, 1, 1, 1},
	"sick-euthyroid": {1, .999, 1, 1, 1},
	"solar-flare":    {1, 1, 1, 1, 1}, "spectrometer": {1, 1, .999, .999, .999}, "mammography": {1, 1, 1, 1, 1},
}

// divergences prints the correlations. The paper does not define its draws. Here each draw is a new layer of sigmoid units, as in
// the paper, and a direction with normal coordinates in the space of the units.
func (s settings) divergences(ctx context.Context, out, progress io.Writer, sets []*dataset.Set) error {
	bar := progressbar.New(progress, "sets", len(sets))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "set\trows\t")
	for _, h := range dimensions {
		fmt.Fprintf(table, "h=%d\t", h)
	}
	fmt.Fprintln(table, "share of the first term\tpaper\t")
	for _, set := range sets {
		row, share, err := s.correlations(ctx, set)
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		fmt.Fprintf(table, "%s\t%d\t", set.Name, len(set.Labels))
		for _, r := range row {
			fmt.Fprintf(table, "%.3f\t", r)
		}
		fmt.Fprintf(table, "%.2f\t", share)
		for i, v := range table1[set.Name] {
			if i > 0 {
				fmt.Fprint(table, " ")
			}
			fmt.Fprintf(table, "%.3f", v)
		}
		fmt.Fprintln(table, "\t")
		bar.Add(1)
	}
	bar.Finish()
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out,
		"\nSpearman's rank correlation of the Cauchy-Schwarz divergence with its first term over %d draws, each of a layer of sigmoid\n"+
			"units (features in [0, 1]) and a normal direction in its space; the mean share that the first term has of the divergence "+
			"at h = 500.\n",
		s.draws)
	return err
}

func (s settings) correlations(ctx context.Context, set *dataset.Set) (row []float64, share float64, err error) {
	y := positive(set)
	all := make([]int, len(y))
	for i := range all {
		all[i] = i
	}
	f, err := prepare(ctx, set, y, validation.Fold{Train: all, Test: all[:1]})
	if err != nil {
		return nil, 0, err
	}
	whole, first := make([][]float64, len(dimensions)), make([][]float64, len(dimensions))
	for i := range dimensions {
		whole[i], first[i] = make([]float64, s.draws), make([]float64, s.draws)
	}
	err = parallel.ForEach(ctx, s.workers, s.draws, func(draw int) error {
		drawn, err := s.draw(ctx, f.unit[0], y, uint64(draw))
		for i, d := range drawn {
			whole[i][draw], first[i][draw] = d.CauchySchwarz, d.Means
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range dimensions {
		row = append(row, stat.Correlation(ranks(whole[i]), ranks(first[i]), nil))
	}
	last := len(dimensions) - 1
	for draw := range s.draws {
		share += first[last][draw] / whole[last][draw] / float64(s.draws)
	}
	return row, share, nil
}

// draw returns the divergence along a random direction, for each of the dimensions. The units and coordinates of a dimension are
// the first ones of the next dimension.
func (s settings) draw(ctx context.Context, x *mat.Dense, y []int, number uint64) ([]measures.Divergence, error) {
	hidden := &featuremap.RandomHidden{Units: dimensions[len(dimensions)-1], Activation: featuremap.Sigmoid, Seed: 1000*s.seed + number,
		Workers: 1}
	if err := hidden.Fit(ctx, x); err != nil {
		return nil, err
	}
	h, err := hidden.Transform(x)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(s.seed, number))
	z, from := make([]float64, len(y)), 0
	var out []measures.Divergence
	for _, to := range dimensions {
		beta := make([]float64, to-from)
		for j := range beta {
			beta[j] = rng.NormFloat64()
		}
		for i := range z {
			for j, v := range h.RawRowView(i)[from:to] {
				z[i] += beta[j] * v
			}
		}
		d, err := measures.DivergenceOfProjection(z, y)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		from = to
	}
	return out, nil
}

// ranks returns the rank of each value. Tied values have their mean rank.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}
