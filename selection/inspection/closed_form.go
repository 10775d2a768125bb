package inspection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/shapley"
)

const (
	// agreement is the largest accepted difference between a sum of kernel values and the predictions, relative to the largest
	// prediction.
	agreement   = 1e-9
	mostWork    = 1 << 32 // largest number of multiplications for AutomaticMethod
	trials      = 16
	trialStream = 0x747269616c // the random stream "trial"
)

// noClosedForm is the reason why there is no closed form.
type noClosedForm string

func (e noClosedForm) Error() string { return string(e) }

// expanded is a model written as a sum of kernel values, with the row and the background in the form that its preprocessing
// returns.
type expanded struct {
	model
	estimators.Expansion
	row, background *mat.Dense
	owners          []int // player that moves each column; the number of players for a constant column
	games           []*shapley.Game
}

// closedForm returns the value of each player for an output of the models. The values sum to total. If there is no closed form, the
// error is a noClosedForm. Other errors are those of the steps, or ctx's error.
func (t *explained) closedForm(ctx context.Context, f shapley.Function, models []model, output int, total float64) ([]float64, error) {
	if len(models) == 0 {
		return nil, noClosedForm("the models are not known")
	}
	all := make([]expanded, len(models))
	for i, m := range models {
		var err error
		if all[i], err = t.expand(m); err != nil {
			return nil, err
		}
		if got := len(all[i].Intercepts); got <= output {
			return nil, noClosedForm(fmt.Sprintf("the Expansion of %T has %d outputs", all[i].estimator, got))
		}
	}
	work := 0.0
	for i := range all {
		if err := all[i].play(len(t.players)); err != nil {
			return nil, err
		}
		work += all[i].work()
	}
	if t.Method == AutomaticMethod && work > mostWork {
		return nil, noClosedForm(fmt.Sprintf("it takes %.1g multiplications, more than %.1g", work, float64(mostWork)))
	}
	scale, err := t.tryMixed(ctx, f, all, output)
	if err != nil {
		return nil, err
	}
	phi := make([]float64, len(t.players))
	for _, e := range all {
		for i, p := range e.Parts {
			own, err := e.games[i].Values(ctx, t.Workers, e.row.RawRowView(0), e.background, p.Rows, mat.Col(nil, output, p.Coefficients))
			if err != nil {
				return nil, err
			}
			floats.AddScaled(phi, e.share, own)
		}
	}
	if off := math.Abs(floats.Sum(phi) - total); !(off <= agreement*max(scale, math.Abs(total))) {
		return nil, noClosedForm(fmt.Sprintf("rounding: the values sum to %.3g less", off))
	}
	return phi, nil
}

// play converts the kernel of each part to a game of the players.
func (e *expanded) play(players int) error {
	for _, p := range e.Parts {
		game, err := shapley.Kernel(p.Kernel, e.owners, players)
		if err != nil {
			return noClosedForm(err.Error())
		}
		e.games = append(e.games, game)
	}
	return nil
}

// work returns the number of multiplications that the values of all parts take.
func (e *expanded) work() (out float64) {
	for i, p := range e.Parts {
		out += e.games[i].Work(e.background.RawMatrix().Rows, p.Rows.RawMatrix().Rows)
	}
	return out
}

// expand converts a model to a sum of kernel values of preprocessed rows.
func (t *explained) expand(m model) (out expanded, err error) {
	if out.model, out.Expansion, err = expansionOf(m, t.row); err != nil {
		return out, err
	}
	if out.row, err = out.transform(t.row); err != nil {
		return out, err
	}
	if out.background, err = out.transform(t.drawn); err != nil {
		return out, err
	}
	out.owners, err = t.ownersOf(out)
	return out, err
}

// expansionOf returns the sum of kernel values of a model, or of the model that it wraps.
func expansionOf(m model, row *mat.Dense) (model, estimators.Expansion, error) {
	m, err := unwrapped(m, row)
	if err != nil {
		return m, estimators.Expansion{}, err
	}
	e, ok := embedding.As[estimators.Expander](m.estimator)
	if !ok {
		return m, estimators.Expansion{}, noClosedForm(fmt.Sprintf("%T is not an estimators.Expander", m.estimator))
	}
	out, err := e.Expansion()
	if errors.Is(err, errors.ErrUnsupported) {
		return m, out, noClosedForm(err.Error())
	} else if err != nil {
		return m, out, err
	}
	z, err := m.transform(row)
	if err != nil {
		return m, out, err
	}
	return m, out, validate(out, m.estimator, z.RawMatrix().Cols)
}

// validate checks an Expansion, which may come from a third-party estimator.
func validate(e estimators.Expansion, of any, width int) error {
	for i, p := range e.Parts {
		if p.Rows == nil || p.Coefficients == nil {
			return fault.Param(fmt.Sprintf("inspection: Expansion of %T", of), fmt.Sprintf("Parts[%d]", i), nil, "Rows and Coefficients")
		}
		n, d := p.Rows.Dims()
		r, outputs := p.Coefficients.Dims()
		if d != width || r != n || outputs != len(e.Intercepts) {
			return fault.Shape(fmt.Sprintf("Expansion of %T: Parts[%d] has", of, i), r, "rows of Coefficients",
				"%d rows of %d columns, want %d, with %d Intercepts of %d outputs", n, d, width, len(e.Intercepts), outputs)
		}
		if err := kernels.Validate(p.Kernel); err != nil {
			return err
		}
		if err := kernels.ValidateColumns(p.Kernel, d); err != nil {
			return err
		}
	}
	return nil
}

// unwrapped returns the model inside a Forwarder that modelsOf does not know. The Forwarder's predictions may differ from those of
// the model, which tryMixed detects.
func unwrapped(m model, row *mat.Dense) (model, error) {
	for {
		if _, ok := embedding.As[estimators.Expander](m.estimator); ok {
			return m, nil
		}
		w, ok := embedding.As[estimators.Forwarder](m.estimator)
		if !ok {
			return m, nil
		}
		before := m.transform
		z, err := before(row)
		if err == nil {
			err = w.Forward(z, func(inner any, _ mat.Matrix) error { m.estimator = inner; return nil })
		}
		if err != nil {
			return m, err
		}
		m.transform = func(x *mat.Dense) (out *mat.Dense, err error) {
			z, err := before(x)
			if err != nil {
				return nil, err
			}
			err = w.Forward(z, func(_ any, of mat.Matrix) error { out = mat.DenseCopyOf(of); return nil })
			return out, err
		}
	}
}

// ownersOf returns, for each column that a model sees, the player that moves it. It returns an error if several players move one
// column.
func (t *explained) ownersOf(e expanded) ([]int, error) {
	none := len(t.players)
	_, width := e.background.Dims()
	m, _ := t.drawn.Dims()
	out := make([]int, width)
	for c := range out {
		out[c] = none
	}
	for p, f := range t.players {
		rows := mat.DenseCopyOf(t.drawn)
		t.moved(rows, f, point{values: pick(t.row.RawRowView(0), f.columns)})
		after, err := e.transform(rows)
		if err != nil {
			return nil, err
		}
		for c := range out {
			if !sameColumn(after, e.background, c) {
				if out[c] != none {
					return nil, noClosedForm(fmt.Sprintf("the steps before %T mix %s with %s", e.estimator, t.players[out[c]].name, f.name))
				}
				out[c] = p
			}
		}
	}
	for c, o := range out {
		for z := range m {
			if o == none && !same(e.row.At(0, c), e.background.At(z, c)) {
				return nil, noClosedForm(fmt.Sprintf("the steps before %T mix columns", e.estimator))
			}
		}
	}
	return out, nil
}

func sameColumn(a, b *mat.Dense, c int) bool {
	for i := range a.RawMatrix().Rows {
		if !same(a.At(i, c), b.At(i, c)) {
			return false
		}
	}
	return true
}

// tryMixed compares the sums of kernel values with f on a few rows that mix the row and the background. It returns the largest
// absolute value of f.
func (t *explained) tryMixed(ctx context.Context, f shapley.Function, all []expanded, output int) (scale float64, err error) {
	m, d := t.drawn.Dims()
	rng := rand.New(rand.NewPCG(t.ExplainOptions.Seed, trialStream))
	rows, joined, from := mat.NewDense(trials, d, nil), make([][]bool, trials), make([]int, trials)
	for i := range trials {
		from[i], joined[i] = rng.IntN(m), make([]bool, len(t.players)+1)
		to := rows.RawRowView(i)
		copy(to, t.drawn.RawRowView(from[i]))
		for p, feature := range t.players {
			if joined[i][p] = rng.IntN(2) == 1; joined[i][p] {
				for _, j := range feature.columns {
					to[j] = t.row.At(0, j)
				}
			}
		}
	}
	want, err := f(rows)
	if err != nil {
		return 0, err
	}
	got := make([]float64, trials)
	for _, e := range all {
		_, width := e.background.Dims()
		z := mat.NewDense(trials, width, nil)
		for i := range trials {
			for c, o := range e.owners {
				z.Set(i, c, e.background.At(from[i], c))
				if joined[i][o] {
					z.Set(i, c, e.row.At(0, c))
				}
			}
		}
		if err := e.addTo(ctx, got, z, output); err != nil {
			return 0, err
		}
	}
	scale = floats.Norm(want, math.Inf(1))
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= agreement*scale) {
			return scale, noClosedForm("the predictions are not the sum of the kernel values")
		}
	}
	return scale, nil
}

// addTo adds this model's contribution to an output for preprocessed rows.
func (e expanded) addTo(ctx context.Context, dst []float64, z *mat.Dense, output int) error {
	floats.AddConst(e.share*e.Intercepts[output], dst)
	for _, p := range e.Parts {
		k, err := kernels.Cross(ctx, p.Kernel, z, p.Rows, nil)
		if err != nil {
			return err
		}
		for i := range dst {
			dst[i] += e.share * floats.Dot(k.RawRowView(i), mat.Col(nil, output, p.Coefficients))
		}
	}
	return nil
}
