package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// handMade returns a problem in which RBF has the ranks of the paper's best kernel for heart. Its error ties with that of Lin, and
// the error of Poly is much larger.
func handMade() judged {
	of := func(kta, csm, fsm float64, ranks [measured]float64, folds ...float64) row {
		r := row{values: [4]float64{kta, csm, fsm}, ranks: ranks, folds: folds}
		r.values[byError], r.se = meanError(folds)
		return r
	}
	return judged{problem{set: "heart"}, []row{
		of(0.1, 0.2, 0.3, [measured]float64{1, 2, 3}, 0.10, 0.20, 0.10, 0.20),
		of(0.2, 0.4, 0.4, [measured]float64{2, 4, 4}, 0.50, 0.60, 0.50, 0.60),
		of(0.4, 0.3, 0.1, [measured]float64{4, 3, 1}, 0.15, 0.16, 0.15, 0.16),
		of(0.3, 0.1, 0.2, [measured]float64{3, 1, 2}, 0.30, 0.40, 0.30, 0.40),
	}}
}

func TestBestKernels(t *testing.T) {
	j := handMade()
	assert.Equal(t, []int{lin}, j.least(byError))
	assert.Equal(t, []int{poly}, j.most(byError))
	assert.Equal(t, []int{rbf}, j.least(2))
	assert.Equal(t, []int{lin, rbf}, j.level())
	assert.Equal(t, rbf, j.asPrinted())
	mean, se := j.excess(rbf)
	assert.InDelta(t, 0.005, mean, 1e-15)
	assert.InDelta(t, 0.0259807621, se, 1e-9, "of 0.05, -0.04, 0.05, -0.04")
	assert.Equal(t, 2.5, j.rankOf([]int{lin, rbf}, 0))
	assert.Equal(t, "Lin = RBF", names([]int{lin, rbf}, " = "))
	// Errors that differ only by rounding are ties.
	j.rows[rbf].values[byError] = j.rows[lin].values[byError] + 1e-15
	assert.Equal(t, []int{lin, rbf}, j.least(byError))
	j.set = "none of the paper's"
	assert.Equal(t, -1, j.asPrinted())
}

func TestReport(t *testing.T) {
	s := settings{repeats: 2, folds: 2}
	var out bytes.Buffer
	require.NoError(t, s.printTable1(&out, []judged{handMade()}))
	text := out.String()
	assert.Regexp(t, `heart +Lin +0\.1500 \(0\.0289\) +1 \(4\) +2 \(3\) +3 \(1\) +Lin, RBF +RBF +0\.0050 \(0\.0260\)`, text)
	assert.Regexp(t, `of the best kernel +1\.00 ± 0\.00 +2\.00 ± 0\.00 +3\.00 ± 0\.00`, text)
	assert.Regexp(t, `of all that are as good +2\.50 ± 0\.00 +2\.50 ± 0\.00 +2\.00 ± 0\.00`, text)
	assert.Regexp(t, `it puts first +0\.0000 +0\.2000 +0\.0050`, text)

	out.Reset()
	require.NoError(t, s.printClaims(&out, []judged{handMade()}))
	for _, line := range []string{
		`RBF or Poly is the least +0 `, `within 2 standard errors of the least +0 `, `Lin or Tanh is the largest +0 `,
		`1-KTA puts neither RBF nor Poly first +1 `, `CSMnorm puts neither RBF nor Poly first +1 `, `FSMerr puts neither RBF nor Poly first +0 `,
		`1-KTA puts the kernel of the largest error last +0 `, `CSMnorm puts the kernel of the largest error last +1 `, `FSMerr puts the kernel of the largest error last +1 `,
	} {
		assert.Regexp(t, line, out.String())
	}
	// The means in the paper agree with the means of its ranks.
	var sum [measured]float64
	for _, ranks := range paperRanks {
		for m, r := range ranks {
			sum[m] += r
		}
	}
	assert.Equal(t, [measured]float64{27, 28, 15}, sum)
}

// Each column holds the measure with its name, and the ranks are those of the measure.
func TestMeasureKernels(t *testing.T) {
	s := settings{poly: "mixed"}
	p, err := s.open(ctx, shippedSets)
	require.NoError(t, err)
	assert.Equal(t, kernels.Polynomial{Degree: 3, Gamma: 1, Coef0: 1}, p.candidates[poly])
	assert.Equal(t, kernels.Polynomial{Degree: 3, Gamma: 1.0 / 30, Coef0: 1}, p.learners[poly])
	j, err := s.measureKernels(ctx, p)
	require.NoError(t, err)
	for i, k := range p.candidates {
		m, err := measures.SeparabilityOfKernel(ctx, k, p.x, p.y, nil)
		require.NoError(t, err)
		assert.Equal(t, [4]float64{1 - m.KTA, m.CSMNorm, m.FSMErr, 0}, j.rows[i].values, kernelNames[i])
		for column, rank := range j.rows[i].ranks {
			less := 0
			for _, other := range j.rows {
				if other.values[column] < j.rows[i].values[column] {
					less++
				}
			}
			assert.Equal(t, float64(less+1), rank, "%s, %s", kernelNames[i], columnNames[column])
		}
	}
	assert.Equal(t, []float64{-1, 1}, []float64{mat.Min(p.x), mat.Max(p.x)})
}
