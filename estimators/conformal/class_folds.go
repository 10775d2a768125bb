package conformal

import (
	"cmp"
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// These are the streams of random numbers for adaptive scores: one for the training rows and one for new rows.
const (
	fittedStream = 0x66697474656400
	newStream    = 0x6e657700
)

// learnFolds fits an estimator for each fold, to the rows of the other folds, and computes the scores of the fold. The folds are
// stratified by class.
func (m *classModel) learnFolds(ctx context.Context, c *Classifier) error {
	n := len(m.at)
	if m.method == Split {
		p, err := m.deal(c, 1-cmp.Or(c.Held, defaultHeld))
		if err != nil {
			return err
		}
		if m.chosen, err = m.fitOn(ctx, c, p[0]); err != nil {
			return err
		}
		m.held, m.folds = p[1], []fold[estimators.Classifier]{{fitted: m.chosen, rows: p[1]}}
		tell(ctx, 1, 1, "fitted")
		return m.score()
	}
	k := min(cmp.Or(c.Folds, defaultFolds), n)
	if m.groups != nil {
		k = min(k, groups.Count(m.groups))
	}
	if k < 2 {
		return fault.Shape("x has", n, "different rows", "method %v needs at least 2", m.method)
	}
	m.held = rowsUpTo(n)
	group := progress.Open(ctx)
	dealt, err := m.parts(c, k)
	if err != nil {
		return err
	}
	for i, rows := range dealt {
		fitted, err := m.fitOn(group.Step(i, k+1), c, complement(n, rows))
		if err != nil {
			return err
		}
		m.folds = append(m.folds, fold[estimators.Classifier]{fitted: fitted, rows: rows})
		tell(ctx, i+1, k+1, "fitted without a fold")
	}
	if err := m.score(); err != nil {
		return err
	}
	if m.chosen, err = m.fitOn(group.Step(k, k+1), c, m.held); err != nil {
		return err
	}
	tell(ctx, k+1, k+1, "fitted to all rows")
	return nil
}

// parts divides the rows of each class into k parts, whose row numbers are ascending. If there are groups, it divides the groups by
// class.
func (m *classModel) parts(c *Classifier, k int) ([][]int, error) {
	if m.groups != nil {
		return parts(m.groups, m.at, c.Seed, sizes(len(m.at), k)...)
	}
	part := make([]int, len(m.at)) // part of each row
	next := 0
	for class := range m.classes {
		for _, i := range order(len(m.at), c.Seed) {
			if m.at[i] == class {
				part[i] = next % k
				next++
			}
		}
	}
	out := make([][]int, k)
	for i, p := range part {
		out[p] = append(out[p], i)
	}
	return out, nil
}

func (m *classModel) share(stream uint64, row int) float64 {
	if m.noRandom {
		return 1
	}
	return shareOf(m.seed, stream, row)
}

// score computes the scores of the rows of each fold.
func (m *classModel) score() error {
	values := make([]float64, len(m.classes))
	for at, f := range m.folds {
		p, err := probabilities(f.fitted, linalg.Rows(m.rows, f.rows))
		if err != nil {
			return err
		}
		m.folds[at].scores = make([]float64, len(f.rows))
		for i, row := range f.rows {
			m.scoring.scores(values, p.RawRowView(i), m.share(fittedStream, row))
			m.folds[at].scores[i] = values[m.at[row]]
		}
	}
	return nil
}

// folded computes the set of classes for each row of x from the estimators of all folds.
func (c *Classifier) folded(x *mat.Dense, level float64, out [][]int) error {
	m := c.m
	held := c.heldOf()
	proba, err := probabilities(m.chosen, x)
	if err != nil {
		return err
	}
	scores, from := make([]float64, len(m.at)), make([]int, len(m.at)) // one entry for each row whose score counts
	p := make([]*mat.Dense, len(m.folds))
	for at, f := range m.folds {
		if p[at], err = probabilities(f.fitted, x); err != nil {
			return err
		}
		for i, row := range f.rows {
			scores[row], from[row] = f.scores[i], at
		}
	}
	own := make([][]float64, len(m.folds)) // the score for each fold and class, for one row of x
	for at := range own {
		own[at] = make([]float64, len(m.classes))
	}
	for i := range out {
		share := m.share(newStream, i)
		for at := range own {
			m.scoring.scores(own[at], p[at].RawRowView(i), share)
		}
		out[i] = c.take(func(class int) (p, total float64) {
			count := 1.0
			for _, row := range held(class) {
				share := weights.Weight(m.shares, row)
				total += share
				if scores[row] >= own[from[row]][class]-rounding {
					count += share
				}
			}
			return count / (total + 1), total
		}, proba.RawRowView(i), level)
	}
	return nil
}
