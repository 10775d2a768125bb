package forecast

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

const (
	forecasterType = "forecast: Forecaster"
	forecasterKind = "forecast.Forecaster"

	defaultLevel  = 0.9
	defaultHeld   = 0.3
	defaultWindow = 200
	defaultRate   = 0.02
)

// Strategy selects how values several steps ahead are predicted.
type Strategy int

// The strategies.
const (
	Direct    Strategy = iota // a model for each number of steps ahead
	Recursive                 // one model for one step ahead, which uses its own predictions as past values
)

// String returns the strategy's name.
func (s Strategy) String() string { return enum.Name("Strategy", int(s), "Direct", "Recursive") }

// Forecaster predicts the next values of an equidistant series, with intervals. The zero value predicts one step ahead from the
// last twelve values. Fit, Update and UnmarshalBinary must not run at the same time as any other method.
type Forecaster struct {
	// Model is the regressor that predicts the series. Fit fits clones of it and does not change it. If it is nil, an
	// [lssvm.Regressor] with standardised columns is used.
	Model estimators.Regressor

	// Lagged selects the past values that are features.
	Lagged

	// Horizon is the largest number of steps ahead. If it is 0, 1 is used.
	Horizon  int `zero:"1"`
	Strategy Strategy

	// If Difference is not 0, the models predict the change from the value that is Difference steps before the target. If that
	// value is not known yet, the distance is the smallest multiple of Difference at which the value is known. Use 1 for a trend,
	// and 12 for monthly values with a yearly season. Past values are then also changes over as many steps, and columns that are
	// known in advance appear twice, once as changes. Kernel machines do not extrapolate a trend, and the changes of a series with
	// a trend have none.
	Difference int `zero:"none"`

	// Level is the probability of the intervals. If it is 0, 0.9 is used.
	Level float64 `zero:"0.9" below:"1"`

	// Held is the share of the series, at its end, that is used to measure the errors of models fitted to the earlier values. The
	// final models are fitted to the complete series. If it is 0, 0.3 is used.
	Held float64 `zero:"0.3" below:"1"`

	// Ensemble is the number of models that are fitted to random blocks of rows. If it is 0, there is no ensemble, and with
	// Recursive it must be 0. A forecast is the mean of their predictions. The error of each row comes from the models that were
	// fitted without it, so no part of the series is held out.
	Ensemble int `zero:"none" least:"2"`

	// Window is the number of most recent errors from which the quantile is computed. If it is 0, 200 is used.
	Window int `zero:"200" least:"10"`

	// Rate determines how fast the level adapts to misses. If it is 0, 0.02 is used. If NoAdaptation is set, the level does not
	// adapt.
	Rate         float64 `zero:"0.02" below:"1"`
	NoAdaptation bool

	Seed uint64 // seed for the blocks of Ensemble

	// If Observe is not nil, it is called during the fits.
	Observe func(estimators.Step)

	m *model
}

// Forecast holds the predictions of the next steps with intervals. A bound is infinite if there are too few errors for the level or
// if the level has adapted so far that no error is large enough.
type Forecast struct{ Mean, Low, High []float64 }

// model is the fitted part of a Forecaster.
type model struct {
	values []float64  // the series so far
	known  *mat.Dense // columns that are known in advance, or nil
	steps  []ahead    // for each number of steps ahead
	models [][]estimators.Regressor
}

// ahead holds the state of the intervals for one horizon, the number of steps ahead.
type ahead struct {
	errors []float64 // absolute, the oldest first
	alpha  float64
}

func (f *Forecaster) base() estimators.Regressor {
	if f.Model == nil {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	}
	return f.Model
}

func (f *Forecaster) horizon() int   { return cmp.Or(f.Horizon, 1) }
func (f *Forecaster) level() float64 { return cmp.Or(f.Level, defaultLevel) }
func (f *Forecaster) window() int    { return cmp.Or(f.Window, defaultWindow) }

// fitted returns the number of steps ahead for which there are models.
func (f *Forecaster) fitted() int {
	if f.Strategy == Recursive {
		return 1
	}
	return f.horizon()
}

// span returns the number of values, up to and including an origin, from which the features of that origin are computed. The result
// is at most a quarter of the largest int.
func (f *Forecaster) span() int {
	const most = math.MaxInt / 4
	return min(min(f.history(), most)+min(f.Difference, most), most)
}

// before returns the number of steps from a target back to the value to which the predicted change is added, or 0 if Difference is
// 0.
func (f *Forecaster) before(steps int) int {
	if f.Difference == 0 {
		return 0
	}
	return f.Difference * ((steps + f.Difference - 1) / f.Difference)
}

// Fit fits the models to the values (n) of a series, the oldest first. The columns (n×k) of known are known in advance. If there
// are none, known is nil. The cost is two fits of Model for each step of Horizon, or two in all with Recursive. With an ensemble,
// it is Ensemble fits for each step. Fit returns [estimators.ErrParam], [estimators.ErrShape] for a series that is too short,
// [estimators.ErrNotFinite], the errors of Model, or the error of ctx.
func (f *Forecaster) Fit(ctx context.Context, values []float64, known mat.Matrix) (err error) {
	defer estimators.BeginFit(&ctx, f.Observe)(&err)
	if err := settings.Check(forecasterType, f); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := check.Vector("values", values); err != nil {
		return err
	}
	k, err := knownDense(known, len(values))
	if err != nil {
		return err
	}
	for name, steps := range map[string]int{"Horizon": f.horizon(), "Difference": f.Difference} {
		if steps >= len(values) {
			return fault.Param(forecasterType, name, steps, fmt.Sprintf("less than the %d values", len(values)))
		}
	}
	if want := f.span() + f.horizon() + 10; len(values) < want {
		return fault.Shape("values has", len(values), "entries",
			"want at least %d, for the longest lag or window, the difference, the horizon and ten rows", want)
	}
	m := &model{values: slices.Clone(values), known: k, steps: make([]ahead, f.horizon())}
	if k != nil {
		m.known = mat.DenseCopyOf(k)
	}
	for h := range m.steps {
		m.steps[h].alpha = 1 - f.level()
	}
	if f.Ensemble > 0 {
		err = f.fitEnsembles(ctx, m)
	} else {
		err = f.fitHeld(ctx, m)
	}
	if err != nil {
		return err
	}
	f.m = m
	return nil
}

func (f *Forecaster) check() error {
	if err := f.Lagged.check(forecasterType); err != nil {
		return err
	}
	if f.Ensemble > 0 && f.Strategy == Recursive {
		return fault.Param(forecasterType, "Ensemble", f.Ensemble, "0 with Recursive")
	}
	return nil
}

// changes returns the past values that features are computed from, the oldest first: the changes over Difference steps, or the
// values themselves.
func (f *Forecaster) changes(values []float64) []float64 {
	if f.Difference == 0 {
		return values
	}
	return floats.SubTo(make([]float64, len(values)-f.Difference), values[f.Difference:], values[:len(values)-f.Difference])
}

// rows returns the rows of features for forecasts of the given number of steps ahead, their targets after differencing, and the
// positions of the targets in the series.
func (f *Forecaster) rows(m *model, steps int) (x *mat.Dense, y []float64, at []int, err error) {
	past, y, at, err := f.Rows(f.changes(m.values), nil, steps)
	if err != nil {
		return nil, nil, nil, err
	}
	x = mat.NewDense(len(y), f.features(m.known), nil)
	for i := range at {
		at[i] += f.Difference
		copy(x.RawRowView(i), past.RawRowView(i))
		f.setKnown(x.RawRowView(i)[f.width():], m.known, at[i], steps)
		if b := f.before(steps); b > 0 {
			y[i] = m.values[at[i]] - m.values[at[i]-b]
		}
	}
	return x, y, at, nil
}

// features returns the number of columns of a model.
func (f *Forecaster) features(known *mat.Dense) int {
	if f.Difference > 0 {
		return f.width() + 2*columnsOf(known)
	}
	return f.width() + columnsOf(known)
}

// setKnown writes to dst the columns that are known in advance, at the time of a target. If Difference is set, it also writes their
// changes.
func (f *Forecaster) setKnown(dst []float64, known *mat.Dense, at, steps int) {
	if known == nil {
		return
	}
	now := known.RawRowView(at)
	copy(dst, now)
	if b := f.before(steps); b > 0 {
		floats.SubTo(dst[len(now):], now, known.RawRowView(at-b))
	}
}

// fitHeld fits models to the first part of the series, computes their errors on the other values, and then fits models to the
// complete series.
func (f *Forecaster) fitHeld(ctx context.Context, m *model) error {
	cut := len(m.values) - max(1, int(cmp.Or(f.Held, defaultHeld)*float64(len(m.values)-f.span())))
	group := progress.Open(ctx)
	trained := make([]estimators.Regressor, f.fitted())
	for h := range trained {
		x, y, at, err := f.rows(m, h+1)
		if err != nil {
			return err
		}
		first, _ := slices.BinarySearch(at, cut)
		if first < 2 {
			return fault.Param(forecasterType, "Held", cmp.Or(f.Held, defaultHeld),
				fmt.Sprintf("less: %d rows remain to fit forecasts of %d steps", first, h+1))
		}
		part, whole := progress.Two(group.Step(h, len(trained)), 1, 2)
		trained[h] = estimators.Clone(f.base())
		if err := trained[h].Fit(part, x.Slice(0, first, 0, x.RawMatrix().Cols), y[:first]); err != nil {
			return fmt.Errorf("%d steps ahead: %w", h+1, err)
		}
		if f.Strategy == Direct {
			rest := mat.DenseCopyOf(x.Slice(first, len(y), 0, x.RawMatrix().Cols))
			if err := f.addErrors(&m.steps[h], trained[h], rest, y[first:]); err != nil {
				return fmt.Errorf("%d steps ahead: %w", h+1, err)
			}
		}
		all := estimators.Clone(f.base())
		if err := all.Fit(whole, x, y); err != nil {
			return fmt.Errorf("%d steps ahead: %w", h+1, err)
		}
		m.models = append(m.models, []estimators.Regressor{all})
	}
	if f.Strategy == Direct {
		return nil
	}
	for t := cut; t < len(m.values); t++ {
		for h := range min(len(m.steps), t-cut+1) { // only origins whose next value is held out
			got, err := f.predict([][]estimators.Regressor{trained}, m.values[:t-h], m.known, h+1)
			if err != nil {
				return err
			}
			m.steps[h].add(math.Abs(m.values[t]-got), f.window())
		}
	}
	return nil
}

// addErrors adds the absolute errors of a model for held-out rows to a.
func (f *Forecaster) addErrors(a *ahead, model estimators.Regressor, x *mat.Dense, y []float64) error {
	got, err := model.Predict(x)
	if err != nil {
		return err
	}
	for i, v := range got {
		a.add(math.Abs(y[i]-v), f.window())
	}
	return nil
}

// predict forecasts the value steps after the last of the past values. known holds the known columns of all times up to that value.
func (f *Forecaster) predict(models [][]estimators.Regressor, past []float64, known *mat.Dense, steps int) (float64, error) {
	if f.Strategy == Direct {
		return f.step(models[steps-1], past, known, steps)
	}
	past = slices.Clone(past)
	for range steps {
		next, err := f.step(models[0], past, known, 1)
		if err != nil {
			return 0, err
		}
		past = append(past, next)
	}
	return past[len(past)-1], nil
}

// step returns the mean of the models' forecasts, plus the earlier value if Difference is set.
func (f *Forecaster) step(models []estimators.Regressor, past []float64, known *mat.Dense, steps int) (float64, error) {
	at := len(past) - 1 + steps
	x := mat.NewDense(1, f.features(known), nil)
	f.set(x.RawRowView(0)[:f.width()], f.changes(past[len(past)-f.span():]))
	f.setKnown(x.RawRowView(0)[f.width():], known, at, steps)
	sum := 0.0
	for _, one := range models {
		got, err := one.Predict(x)
		if err != nil {
			return 0, err
		}
		sum += got[0] / float64(len(models))
	}
	if b := f.before(steps); b > 0 {
		sum += past[at-b]
	}
	if !check.IsFinite(sum) {
		return 0, &fault.NotFiniteError{Name: "forecast", Row: steps - 1, Col: -1, Value: sum}
	}
	return sum, nil
}

// add appends an error, and drops the oldest errors so that at most window remain.
func (a *ahead) add(e float64, window int) {
	a.errors = append(a.errors, e)
	if over := len(a.errors) - window; over > 0 {
		a.errors = slices.Delete(a.errors, 0, over)
	}
}

// half returns half of the width of the interval: the ⌈(n+1)(1-α)⌉-th smallest error.
func (a *ahead) half() float64 {
	if a.alpha >= 1 {
		return 0
	}
	rank := int(math.Ceil(float64(len(a.errors)+1) * (1 - a.alpha)))
	if a.alpha <= 0 || rank > len(a.errors) {
		return math.Inf(1)
	}
	sorted := slices.Clone(a.errors)
	slices.Sort(sorted)
	return sorted[max(rank, 1)-1]
}

// Forecast predicts the next steps, at most Horizon. If Fit received columns that are known in advance, known holds their values
// for these steps (steps×k). Forecast returns [estimators.ErrNotFitted], [estimators.ErrParam], [estimators.ErrShape], or the
// errors of Model.
func (f *Forecaster) Forecast(steps int, known mat.Matrix) (_ Forecast, err error) {
	defer fault.Recover(&err)
	if f.m == nil {
		return Forecast{}, fault.NotFitted(forecasterType)
	}
	if steps < 1 || steps > len(f.m.steps) {
		return Forecast{}, fault.Param(forecasterType, "steps", steps, fmt.Sprintf("1 to the Horizon of %d", len(f.m.steps)))
	}
	k, err := f.next(known, steps)
	if err != nil {
		return Forecast{}, err
	}
	all := appendRows(f.m.known, k)
	var out Forecast
	for h := range steps {
		mean, err := f.predict(f.m.models, f.m.values, all, h+1)
		if err != nil {
			return Forecast{}, err
		}
		half := f.m.steps[h].half()
		out.Mean, out.Low, out.High = append(out.Mean, mean), append(out.Low, mean-half), append(out.High, mean+half)
	}
	return out, nil
}

// next checks the known columns of the next steps, and returns them as a dense matrix.
func (f *Forecaster) next(known mat.Matrix, rows int) (*mat.Dense, error) {
	k, err := knownDense(known, rows)
	if err != nil {
		return nil, err
	}
	if columnsOf(k) != columnsOf(f.m.known) {
		return nil, fault.Shape("known has", columnsOf(k), "columns", "those of Fit had %d", columnsOf(f.m.known))
	}
	return k, nil
}

// Update appends observed values to the series. If Fit received columns that are known in advance, known holds their values for the
// same times. The models stay unchanged. The intervals adapt: Update forecasts each new value from every origin within Horizon,
// adds the errors, and moves the level by Rate. It costs Horizon forecasts for each value. It returns the errors of Forecast and
// [estimators.ErrNotFinite]. An error leaves f unchanged.
func (f *Forecaster) Update(values []float64, known mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if f.m == nil {
		return fault.NotFitted(forecasterType)
	}
	if err := check.Vector("values", values); err != nil {
		return err
	}
	k, err := f.next(known, len(values))
	if err != nil {
		return err
	}
	m := &model{values: slices.Concat(f.m.values, values), known: appendRows(f.m.known, k), models: f.m.models}
	for _, a := range f.m.steps {
		m.steps = append(m.steps, ahead{errors: slices.Clone(a.errors), alpha: a.alpha})
	}
	rate := cmp.Or(f.Rate, defaultRate)
	for t := len(f.m.values); t < len(m.values); t++ {
		for h := range m.steps {
			got, err := f.predict(m.models, m.values[:t-h], m.known, h+1)
			if err != nil {
				return err
			}
			a, e := &m.steps[h], math.Abs(m.values[t]-got)
			missed := 0.0
			if e > a.half() {
				missed = 1
			}
			if !f.NoAdaptation {
				a.alpha += rate * (1 - f.level() - missed)
			}
			a.add(e, f.window())
		}
	}
	f.m = m
	return nil
}

// FeatureNames returns the names of the columns that Model receives: the names of Lagged, then "known 0" and so on, and with
// Difference "change of known 0" and so on.
func (f *Forecaster) FeatureNames() []string {
	out := f.Names()
	if f.m == nil {
		return out
	}
	for _, name := range []string{"known %d", "change of known %d"}[:1+min(f.Difference, 1)] {
		for j := range columnsOf(f.m.known) {
			out = append(out, fmt.Sprintf(name, j))
		}
	}
	return out
}

// Chosen returns the fitted models for forecasts of the given number of steps ahead: one model, or the members of an Ensemble. The
// caller must not change them. It returns nil before Fit, and if there is no separate model for that number of steps.
func (f *Forecaster) Chosen(steps int) []estimators.Regressor {
	if f.m == nil || steps < 1 || steps > len(f.m.models) {
		return nil
	}
	return slices.Clone(f.m.models[steps-1])
}

// Errors returns the last absolute errors of forecasts for the given number of steps ahead, the oldest first. It returns nil before
// Fit and beyond Horizon.
func (f *Forecaster) Errors(steps int) []float64 {
	if f.m == nil || steps < 1 || steps > len(f.m.steps) {
		return nil
	}
	return slices.Clone(f.m.steps[steps-1].errors)
}
