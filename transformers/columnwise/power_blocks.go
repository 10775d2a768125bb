package columnwise

import (
	"context"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// mostValues is the number of values of a stream's column that are used for the first estimate of λ.
const mostValues = 8192

// FitBlocks implements [streaming.BlockFitter]. It reads the stream four times. If all columns have fewer than 8192 values, it
// reads the stream three times, and λ is that of Fit up to rounding. Otherwise it first finds the λ of 8192 values at evenly spaced
// ranks of the column. These values are determined as in the FitBlocks of [QuantileTransformer]. It then moves λ to the vertex of a
// parabola through the likelihood of all rows at three λ. With 100 000 rows the result differs from that of Fit by at most .0001,
// where the standard error is .004. Mean and standard deviation are exact for that λ. If the values for the first estimate are all
// equal, or only two are distinct, λ is 1.
func (t *PowerTransformer) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(powerTransformerName, t); err != nil {
		return err
	}
	m := &powerModel{Raw: t.NoStandardize, Clip: t.Clip, Gaps: t.Gaps}
	return t.state.LearnBlocks(ctx, blocks, m.HasGap, func(rows *rowmap.Stream) (*powerModel, error) {
		columns, err := columnstats.ReadRanks(ctx, rows, t.Workers)
		if err != nil {
			return nil, err
		}
		m.resize(rows.D)
		if err := m.setWarps(ctx, rows, columns, t.Workers); err != nil {
			return nil, err
		}
		spreads, err := columnstats.ReadSpreads(ctx, rows, t.Workers, func(j int, values []float64) []float64 {
			return m.warped(j, slices.DeleteFunc(values, math.IsNaN))
		})
		if err != nil {
			return nil, err
		}
		for j, s := range spreads {
			if s.N > 0 {
				m.standardize(j, s)
			}
		}
		return m, nil
	})
}

func (t *PowerTransformer) statistics() *columnstats.Statistics[*columnstats.Ranks] {
	gaps := t.Gaps
	return columnstats.NewRankStatistics(powerTransformerName, gaps)
}

// NewStatistics implements [streaming.StatisticsFitter] with the sketch of [QuantileTransformer] for each column.
func (t *PowerTransformer) NewStatistics() (streaming.Statistics[streaming.None], error) {
	return t.statistics(), nil
}

// FitStatistics implements [streaming.StatisticsFitter]. If a column has fewer than 8192 values, the result is the same as with
// Fit. Otherwise λ, mean and deviation are those of 8192 values at evenly spaced ranks, whose error is that of
// [QuantileTransformer].
func (t *PowerTransformer) FitStatistics(ctx context.Context, st streaming.Statistics[streaming.None]) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(powerTransformerName, t); err != nil {
		return err
	}
	return columnstats.Learn(ctx, &t.state, st, t.statistics(), func(st *columnstats.Statistics[*columnstats.Ranks]) (*powerModel, error) {
		m := &powerModel{Raw: t.NoStandardize, Clip: t.Clip, Gaps: t.Gaps}
		m.resize(len(st.Columns))
		return m, parallel.ForEach(ctx, t.Workers, len(st.Columns), func(j int) error {
			r := st.Columns[j].Rank()
			values := r.Quantiles(mostValues)
			lambda := 1.0
			if len(values) == 0 {
				m.setWarp(j, lambda, 0, 0)
				return nil
			}
			if threeValues(values) {
				var err error
				if lambda, err = newLikelihood(values, r.Least, r.Largest).maximise(ctx); err != nil {
					return err
				}
			}
			m.setWarp(j, lambda, r.Least, r.Largest)
			s := columnstats.NewSpread(m.warped(j, values))
			m.standardize(j, &s)
			return nil
		})
	})
}

// PartialFit implements [transformers.PartialFitter].
func (t *PowerTransformer) PartialFit(ctx context.Context, x mat.Matrix) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	return t.state.PartialFit(ctx, x, t)
}

// MarshalStatistics implements estimators.Continuer.
func (t *PowerTransformer) MarshalStatistics() ([]byte, error) { return t.state.MarshalStatistics() }

// UnmarshalStatistics implements estimators.Continuer.
func (t *PowerTransformer) UnmarshalStatistics(data []byte) error {
	return t.state.UnmarshalStatistics(t, data)
}

// setWarps determines the λ of the columns of a stream and stores them in m.
func (m *powerModel) setWarps(ctx context.Context, rows *rowmap.Stream, columns []*columnstats.Ranked, workers int) error {
	tops := make([]*top, rows.D)
	err := parallel.ForEach(ctx, workers, rows.D, func(j int) (err error) {
		r := columns[j]
		values, lambda := r.Quantiles(mostValues), 1.0
		if threeValues(values) {
			l := newLikelihood(values, r.Least, r.Largest)
			if lambda, err = l.maximise(ctx); err != nil {
				return err
			}
			if r.Missed > 0 {
				tops[j] = newTop(l, lambda, r.Least, r.Largest, values)
			}
		}
		m.setWarp(j, lambda, r.Least, r.Largest)
		return nil
	})
	if err != nil || !slices.ContainsFunc(tops, func(t *top) bool { return t != nil }) {
		return err
	}
	_, err = columnstats.ReadColumns(ctx, rows, workers, func(j int) *top { return tops[j] }, func(t **top, values []float64) error {
		if *t != nil {
			(*t).add(slices.DeleteFunc(values, math.IsNaN))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for j, t := range tops {
		if t != nil {
			m.setWarp(j, t.lambda(), m.Least[j], m.Largest[j])
		}
	}
	return nil
}

// top holds the likelihood of all values of a column at three λ, which are near the best λ for some of the values.
type top struct {
	middle, step float64
	n            int
	logs         float64 // Σ sign(x) ln(1+|x|)
	at           [3]struct {
		warp
		centre       float64 // the mean of the part
		sum, squares float64 // sums of differences from the centre
		constant     float64 // the term that the warp subtracts from the logarithm of ψ's standard deviation
	}
}

// drop is the difference between the likelihoods of a row at the middle λ and at the outer ones. It is far above rounding errors,
// and small enough for the likelihood to be a parabola.
const drop = 1e-4

// newTop returns a top for a column. The argument l is the likelihood of some of its values, with its maximum at lambda. It returns
// nil if there is no maximum there.
func newTop(l *likelihood, lambda, least, largest float64, values []float64) *top {
	h := .01 * max(1, math.Abs(lambda))
	curvature := (2*l.evaluate(lambda) - l.evaluate(lambda-h) - l.evaluate(lambda+h)) / (h * h)
	t := &top{middle: lambda, step: math.Sqrt(2 * drop / curvature)}
	if !(t.step > 0) || math.IsInf(t.step, 1) || math.Abs(lambda)+t.step > maxLambda {
		return nil
	}
	for k := range t.at {
		a, p := &t.at[k], t.lambdaAt(k)
		shift := shiftOf(p, least, largest)
		a.warp = newWarp(p, least, largest, shift)
		a.constant = shift + a.p*math.Log1p(a.ref)
		for _, v := range values {
			a.centre += a.warp.transform(v) / float64(len(values))
		}
	}
	return t
}

func (t *top) lambdaAt(k int) float64 { return t.middle + float64(k-1)*t.step }

func (t *top) add(values []float64) {
	t.n += len(values)
	for _, v := range values {
		t.logs += math.Copysign(math.Log1p(math.Abs(v)), v)
		for k := range t.at {
			a := &t.at[k]
			d := a.warp.transform(v) - a.centre
			a.sum += d
			a.squares += d * d
		}
	}
}

// lambda returns the vertex of the parabola, or the middle if there is none.
func (t *top) lambda() float64 {
	var l [3]float64
	n := float64(t.n)
	for k, a := range t.at {
		l[k] = (t.lambdaAt(k)-1)*t.logs/n - math.Log((a.squares-a.sum*a.sum/n)/n)/2 - a.constant
	}
	move := (l[2] - l[0]) / (2 * (2*l[1] - l[0] - l[2]))
	if !(math.Abs(move) <= 2) { // the parabola through three points is not reliable further away
		return t.middle
	}
	return t.middle + move*t.step
}
