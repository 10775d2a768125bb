package svm

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// defaultFolds is the number of folds of the cross-validation for probabilities.
const defaultFolds = 5

// foldStream is the base of the random streams of folds. The number of the pair is added.
const foldStream = 0x666f6c6473

// foldTasks returns tasks that each fit a machine to p without one fold, and store the decision values for this fold in unseen. The
// folds are stratified by class, as far as possible if the rows of a unit are in the same fold. If unit is nil, each row is a unit.
func foldTasks(src smo.Source, p smo.Problem, unit []int, unseen []float64, seed, pair uint64) []task {
	rng := rand.New(rand.NewPCG(seed, foldStream+pair))
	fold, dealt, ofUnit := make([]int, len(p.Rows)), 0, map[int]int{}
	for _, sign := range []float64{-1, 1} {
		for _, k := range rng.Perm(len(p.Rows)) {
			if p.Target[k] != sign {
				continue
			}
			fold[k] = dealt % defaultFolds
			if unit != nil {
				u := unit[p.Rows[k]]
				if f, seen := ofUnit[u]; seen {
					fold[k] = f
					continue
				}
				ofUnit[u] = fold[k]
			}
			dealt++
		}
	}
	var out []task
	for f := range min(defaultFolds, len(p.Rows)) {
		part := smo.Problem{Epsilon: p.Epsilon}
		var left []int
		sum := 0.0
		for k, row := range p.Rows {
			if fold[k] == f {
				left = append(left, k)
				continue
			}
			part.Rows, part.Target = append(part.Rows, row), append(part.Target, p.Target[k])
			part.Lo, part.Hi = append(part.Lo, p.Lo[k]), append(part.Hi, p.Hi[k])
			sum += p.Target[k]
		}
		if len(left) == 0 || len(part.Rows) == 0 {
			continue
		}
		if math.Abs(sum) == float64(len(part.Rows)) {
			// Only one class remains. No machine can be fitted, and the decision value is ±1, the edge of its margin.
			for _, k := range left {
				unseen[k] = part.Target[0]
			}
			continue
		}
		if p.Form != smo.Bounded {
			part.SetShare(p.Form, p.Nu)
		}
		out = append(out, task{part, func(ctx context.Context, sol smo.Solution) error {
			return predictLeft(ctx, src, p, part, sol, left, unseen)
		}})
	}
	return out
}

// predictLeft sets the decision values in unseen of the rows of p that part leaves out. Their positions are in left.
func predictLeft(ctx context.Context, src smo.Source, p, part smo.Problem, sol smo.Solution, left []int, unseen []float64) error {
	var vectors []int
	var beta []float64
	for k, b := range sol.Beta {
		if b != 0 {
			vectors, beta = append(vectors, part.Rows[k]), append(beta, b)
		}
	}
	rows := make([]int, len(left))
	for i, k := range left {
		rows[i] = p.Rows[k]
	}
	f := make([]float64, len(left))
	if err := src.Cross(ctx, f, rows, vectors, beta); err != nil {
		return err
	}
	for i, k := range left {
		unseen[k] = f[i] + sol.Intercept
	}
	return nil
}

// linkOf returns the sigmoid of a pair, fitted to decision values of left-out rows. Only the ratios of their weights matter.
func linkOf(unseen []float64, p smo.Problem, own []float64) platt.Sigmoid {
	n := len(p.Rows)
	at, w := make([]int, n), make([]float64, n)
	for k, row := range p.Rows {
		w[k] = weights.Weight(own, row)
		if p.Target[k] > 0 {
			at[k] = 1
		}
	}
	return platt.FitSigmoid(unseen, at, distinct.Counts(w, n, n))
}

// leastPair is the smallest probability of a pair. As in LIBSVM, it keeps probabilities of pairs away from 0 and 1.
const leastPair = 1e-7

// couple converts decision values f of pairs to probabilities of classes, which it writes to out. With more than two classes they
// minimise Σ_a Σ_b≠a (r[b,a] p[a] - r[a,b] p[b])² subject to Σ p = 1 (Wu, Lin and Weng 2004, equation 21). Here r[a,b] is the
// probability of a given a or b. In matrix form the sum is p'Qp. If Σ p = 1, adding the all-ones matrix to Q does not change the
// minimum. It makes Q positive definite, and p is proportional to the solution of Qp = 1.
func couple(out, f *mat.Dense, links []platt.Sigmoid, classes int) {
	n, _ := f.Dims()
	if classes == 2 {
		for i := range n {
			p := links[0].Value(f.At(i, 0))
			out.SetRow(i, []float64{1 - p, p})
		}
		return
	}
	q := mat.NewSymDense(classes, nil)
	ones := mat.NewVecDense(classes, nil)
	for k := range classes {
		ones.SetVec(k, 1)
	}
	var chol mat.Cholesky
	for i := range n {
		for a := range classes {
			q.SetSym(a, a, 1)
		}
		for a, pair := 0, 0; a < classes; a++ {
			for b := a + 1; b < classes; b++ {
				r := min(max(links[pair].Value(f.At(i, pair)), leastPair), 1-leastPair)
				pair++
				q.SetSym(a, a, q.At(a, a)+r*r)
				q.SetSym(b, b, q.At(b, b)+(1-r)*(1-r))
				q.SetSym(a, b, 1-r*(1-r))
			}
		}
		solution := mat.NewVecDense(classes, out.RawRowView(i))
		if chol.Factorize(q) {
			// An error only reports a large condition number, and the remaining digits suffice.
			_ = chol.SolveVecTo(solution, ones)
		}
		normalise(out.RawRowView(i))
	}
}

// normalise divides p by its sum. If that is not possible, it sets all entries of p to the same value.
func normalise(p []float64) {
	sum := 0.0
	for k, v := range p {
		p[k] = max(v, 0)
		sum += p[k]
	}
	for k := range p {
		if sum > 0 {
			p[k] /= sum
		} else {
			p[k] = 1 / float64(len(p))
		}
	}
}
