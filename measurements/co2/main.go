// Co2 fits the kernel of the monthly carbon dioxide record of Mauna Loa with GaBaSR. It finds the season and its harmonics without
// prior knowledge of them. Sines and cosines contain no trend, so the model also has a parabola, whose coefficients are as
// uncertain as the others.
//
// The program draws the record with a forecast of ten years and its 95% band. It also draws a forecast of the last ten years of the
// record from the years before, and the fitted spectral density. It prints the errors of forecasts from earlier years. The series
// is read from -data DIR, or it is the one that the repository ships.
//
//	go run -C measurements ./co2
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

const (
	ahead = 10.0 // years of a forecast
	apart = 2.0  // years between the forecasts that are compared with the record
	least = 11.0 // least number of years of the record for a forecast
)

func main() { cli.Main("co2", run) }

// forecast is a fit to the months up to a year, which predicts the years after.
type forecast struct {
	title string
	model *gabasr.Regressor
	x     *mat.Dense // all known months
	y     []float64
	from  float64 // first year after those of the fit
}

// predict returns the forecast and the bounds of its interval at the years in at.
func (f *forecast) predict(at *mat.Dense) (mean, low, high []float64, err error) {
	if mean, err = f.model.Predict(at); err != nil {
		return nil, nil, nil, err
	}
	low, high, err = f.model.PredictInterval(at, 0.95)
	return mean, low, high, err
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("co2",
		"co2 learns the kernel of the monthly carbon dioxide record of Mauna Loa and forecasts the next ten years.",
		out)
	data := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	dir := flags.String("out", ".", "`folder` for the pictures")
	components := flags.Int("components", 50, "frequencies")
	sweeps := flags.Int("sweeps", 100, "sweeps of each of four chains")
	trend := flags.Int("trend", 2, "degree of the trend; 0: none")
	seed := flags.Uint64("seed", 1, "of the chains")
	flags.AtLeast(1, "components", "sweeps")
	flags.AtLeast(0, "trend")
	flags.Reads("data")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	set, err := dataset.Open(*data, "mauna-loa-co2-monthly")
	if err != nil {
		return err
	}
	n, _ := set.X.Dims()
	end := set.X.At(n-1, 0) + 1.0/24
	forecasts := []forecast{
		{title: fmt.Sprintf("fitted to all of the record, and ten years more: %.0f to %.0f", end, end+ahead), from: end},
		{title: fmt.Sprintf("fitted to the months before %.0f alone, and the ten years that followed", end-ahead), from: end - ahead},
	}
	for i := range forecasts {
		f := &forecasts[i]
		f.x, f.y = set.X, set.Y
		f.model = &gabasr.Regressor{Pairs: *components, Sweeps: *sweeps, Seed: *seed, Trend: *trend}
		if err := f.fit(ctx, progress); err != nil {
			return err
		}
		if err := f.report(out); err != nil {
			return err
		}
	}
	if err := compare(ctx, forecasts[1], out, progress); err != nil {
		return err
	}
	picture, density := filepath.Join(*dir, "co2-forecast.png"), filepath.Join(*dir, "co2-density.png")
	if err := drawForecasts(picture, forecasts); err != nil {
		return err
	}
	if err := drawDensity(density, forecasts[0].model); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "drawn: %s, %s\n", picture, density)
	return err
}

// split returns the known months before the forecast, and those of the forecast.
func (f *forecast) split() (x, later *mat.Dense, y, laterY []float64) {
	var before, after []float64
	for i, v := range f.y {
		if t := f.x.At(i, 0); t < f.from {
			before, y = append(before, t), append(y, v)
		} else if t < f.from+ahead {
			after, laterY = append(after, t), append(laterY, v)
		}
	}
	x = mat.NewDense(len(before), 1, before)
	if len(after) > 0 {
		later = mat.NewDense(len(after), 1, after)
	}
	return x, later, y, laterY
}

// fit fits the model and shows the evidence in a progress bar.
func (f *forecast) fit(ctx context.Context, progress io.Writer) error {
	bar := progressbar.New(progress, "sweeps", 0)
	f.model.Observe = func(s estimators.Step) {
		if s.Between { // an intermediate step has no evidence
			bar.Set(s.Done, "")
			return
		}
		bar.Set(s.Done, fmt.Sprintf("log evidence %.1f", -s.Objective))
	}
	x, _, y, _ := f.split()
	if err := f.model.Fit(ctx, x, y); err != nil {
		return err
	}
	bar.Finish()
	return nil
}

// report prints a summary of the fit, and the errors of the forecast if the record covers it.
func (f *forecast) report(out io.Writer) error {
	kept, start := f.model.LogEvidence()
	fmt.Fprintf(out, "%s\n  log evidence %.1f (random features at the start %.1f), split R-hat of the predictions %.3f\n", f.title, kept,
		start, f.model.RHat())
	for _, cycles := range []float64{1, 2} {
		share := 0.0
		for _, c := range f.model.Mixture() {
			share += c.Weight * bandProbability(c, 2*math.Pi*(cycles-0.1), 2*math.Pi*(cycles+0.1))
		}
		fmt.Fprintf(out, "  share of the spectral density within 0.1 of %.0f cycles a year: %.3f\n", cycles, share)
	}
	if _, later, _, _ := f.split(); later == nil {
		return nil
	}
	s, err := f.score()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "  %d months ahead: %v\n", s.months, s)
	return err
}

// score holds the errors of a forecast.
type score struct {
	months            int
	rmse, share, band float64 // share of months in the band, and its mean width
}

func (s score) String() string {
	return fmt.Sprintf("root mean squared error %.2f ppm, %.0f%% within the 95%% band, of mean width %.1f ppm", s.rmse, 100*s.share, s.band)
}

// score compares the forecast with the record.
func (f *forecast) score() (s score, err error) {
	_, later, _, truth := f.split()
	mean, low, high, err := f.predict(later)
	if err != nil {
		return s, err
	}
	s.months = len(truth)
	if s.rmse, err = metrics.RMSE(truth, mean, nil); err != nil {
		return s, err
	}
	s.share, s.band, err = metrics.Coverage(truth, low, high, nil)
	return s, err
}

// compare prints the scores of forecasts of ten years, and their mean. The latest begins in the same year as the forecast last, and
// each of the others begins earlier than the next by the constant apart. A single forecast would not be enough, because its errors
// are correlated for years.
func compare(ctx context.Context, last forecast, out, progress io.Writer) error {
	fmt.Fprintln(out, "forecasts of ten years, by the year that they begin with")
	var mean score
	var all []score
	for from := last.from; from >= last.x.At(0, 0)+least; from -= apart {
		f := forecast{x: last.x, y: last.y, from: from}
		f.model = estimators.Clone(last.model)
		if err := f.fit(ctx, progress); err != nil {
			return err
		}
		s, err := f.score()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  %.0f: %v\n", from, s)
		all = append(all, s)
	}
	for _, s := range all {
		k := float64(len(all))
		mean.rmse, mean.share, mean.band = mean.rmse+s.rmse/k, mean.share+s.share/k, mean.band+s.band/k
	}
	_, err := fmt.Fprintf(out, "  mean: %v\n", mean)
	return err
}

// bandProbability returns the probability that a component has between two frequencies, of either sign.
func bandProbability(c gabasr.Component, low, high float64) float64 {
	s := math.Sqrt(c.Covariance.At(0, 0))
	below := func(v float64) float64 { return math.Erfc(-v/math.Sqrt2) / 2 }
	between := func(a, b float64) float64 { return below((b-c.Mean[0])/s) - below((a-c.Mean[0])/s) }
	return between(low, high) + between(-high, -low)
}
