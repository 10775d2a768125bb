// Mixing measures how well the chains of gabasr.Regressor mix with default settings. It fits twenty sets of one column (noisy
// sines, a Mackey-Glass series, steps, and a record like that of carbon dioxide), and ten sets of two to ten columns. It prints how
// often a Report states that the chains have mixed, and how far the predictions then are from the truth. It also compares the
// predictions with those of another seed and those of chains twice as long.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/progressbar"
)

// tests is the number of new rows at which predictions are compared.
const tests = 300

// set holds the values of a function at test rows, and training rows of the function with noise.
type set struct {
	name  string
	x, at *mat.Dense
	y     []float64
	truth []float64 // values of the function at the test rows
	noise float64   // its standard deviation
}

func newSet(name string, seed uint64, n, d int, noise float64, row func(rng *rand.Rand, i int) []float64, f func(x []float64) float64) set {
	rng := rand.New(rand.NewPCG(seed, uint64(n)<<16+uint64(d)<<8+uint64(len(name))))
	s := set{name: name, noise: noise, x: mat.NewDense(n, d, nil), at: mat.NewDense(tests, d, nil), y: make([]float64, n),
		truth: make([]float64, tests)}
	for i := range n {
		r := row(rng, i)
		s.x.SetRow(i, r)
		s.y[i] = f(r) + noise*rng.NormFloat64()
	}
	for i := range tests {
		r := row(rng, -1)
		s.at.SetRow(i, r)
		s.truth[i] = f(r)
	}
	return s
}

func oneColumn(seed uint64) (out []set) {
	anywhere := func(high float64) func(rng *rand.Rand, _ int) []float64 {
		return func(rng *rand.Rand, _ int) []float64 { return []float64{high * rng.Float64()} }
	}
	series := mackeyGlass(2001)
	for _, n := range []int{60, 120, 200, 350, 500} {
		months := func(rng *rand.Rand, i int) []float64 {
			if i < 0 {
				return []float64{float64(n) / 12 * rng.Float64()}
			}
			return []float64{float64(i) / 12}
		}
		out = append(out,
			newSet("sine", seed, n, 1, .3, anywhere(10), func(x []float64) float64 { return math.Sin(x[0]) }),
			newSet("Mackey-Glass", seed, n, 1, .05, anywhere(199), func(x []float64) float64 {
				i := int(10 * x[0])
				u := 10*x[0] - float64(i)
				return series[i]*(1-u) + series[i+1]*u
			}),
			newSet("step", seed, n, 1, .2, anywhere(10), func(x []float64) float64 { return math.Max(0, math.Copysign(1, x[0]-4)) }),
			newSet("record", seed, n, 1, .4, months, func(x []float64) float64 {
				t := x[0]
				return 315 + .8*t + .012*t*t + 2.5*math.Sin(2*math.Pi*t) + .8*math.Sin(4*math.Pi*t+1)
			}))
	}
	return out
}

func manyColumns(seed uint64) (out []set) {
	for _, c := range []struct {
		name string
		n, d int
	}{{"Friedman", 100, 5}, {"Friedman", 250, 8}, {"Friedman", 500, 5}, {"Friedman", 500, 10}, {"waves", 100, 2}, {"waves", 200, 2},
		{"waves",
			400, 3}, {"plane", 60, 3}, {"plane", 200, 6}, {"plane", 500, 4}} {
		row := func(rng *rand.Rand, _ int) []float64 {
			x := make([]float64, c.d)
			for j := range x {
				x[j] = rng.Float64()
			}
			return x
		}
		noise, f := 1., func(x []float64) float64 {
			return 10*math.Sin(math.Pi*x[0]*x[1]) + 20*(x[2]-.5)*(x[2]-.5) + 10*x[3] + 5*x[4]
		}
		switch c.name {
		case "waves":
			noise, f = .2, func(x []float64) float64 { return math.Sin(6*x[0]) * math.Cos(5*x[1]) }
		case "plane":
			noise, f = .5, func(x []float64) float64 { return 2*x[0] - x[1] }
		}
		out = append(out, newSet(c.name, seed, c.n, c.d, noise, row, f))
	}
	return out
}

// mackeyGlass returns the Mackey-Glass series with a delay of 17, in steps of a tenth. It leaves out the first 300 units of time.
func mackeyGlass(n int) []float64 {
	const delay, before = 170, 3000
	v := make([]float64, n+before)
	for i := range v {
		if i <= delay {
			v[i] = 1.2
			continue
		}
		late := v[i-1-delay]
		v[i] = v[i-1] + .1*(.2*late/(1+math.Pow(late, 10))-.1*v[i-1])
	}
	return v[before:]
}

// fit holds the results from one fit.
type fit struct {
	mean, deviation []float64 // mean and deviation of a new observation at the test rows
	sweeps          int
	rHat, evidence  float64 // split R-hat of the predictions and of the log evidence
	converged       bool
	seconds         float64
}

// fitted fits chains with the given number of sweeps, two fifths of which are burn-in. If sweeps is 0, it uses default settings.
func fitted(ctx context.Context, s set, seed uint64, sweeps int) (fit, error) {
	r := &gabasr.Regressor{Seed: seed, Sweeps: sweeps, BurnIn: 2 * sweeps / 5}
	begin := time.Now()
	if err := r.Fit(ctx, s.x, s.y); err != nil {
		return fit{}, err
	}
	out := fit{seconds: time.Since(begin).Seconds(), rHat: r.RHat(), converged: r.Report().Converged}
	mean, variance, err := r.PredictVariance(s.at)
	if err != nil {
		return fit{}, err
	}
	out.mean = mean
	for _, v := range variance {
		out.deviation = append(out.deviation, math.Sqrt(v))
	}
	chains := map[int][]float64{}
	for _, t := range r.Trace() {
		out.sweeps = max(out.sweeps, t.Number)
		if t.Kept {
			chains[t.Chain] = append(chains[t.Chain], t.LogEvidence)
		}
	}
	out.evidence = splitRHat(chains)
	return out, nil
}

// splitRHat returns the split R-hat of Gelman et al., Bayesian Data Analysis, 2013.
func splitRHat(chains map[int][]float64) float64 {
	var means []float64
	within, between, length := 0., 0., 0.
	for c := range len(chains) {
		v := chains[c]
		half := len(v) / 2
		for _, part := range [][]float64{v[:half], v[len(v)-half:]} {
			length = float64(half)
			m := mean(part)
			for _, e := range part {
				within += (e - m) * (e - m) / (length - 1) / float64(2*len(chains))
			}
			means = append(means, m)
		}
	}
	grand := mean(means)
	for _, m := range means {
		between += (m - grand) * (m - grand) / float64(len(means)-1)
	}
	return math.Sqrt((length-1)/length + between/within)
}

func mean(v []float64) float64 {
	sum := 0.
	for _, e := range v {
		sum += e / float64(len(v))
	}
	return sum
}

// apart returns the root mean squared difference, in standard deviations of the noise.
func (s set) apart(a, b []float64) float64 {
	sum := 0.
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i]) / float64(len(a))
	}
	return math.Sqrt(sum) / s.noise
}

// covered returns the mean probability, over the test rows, that a new observation is within 1.96 predicted deviations of the mean.
func (s set) covered(f fit) float64 {
	below := func(v float64) float64 { return .5 * math.Erfc(-v/s.noise/math.Sqrt2) }
	sum := 0.
	for i, m := range f.mean {
		sum += (below(m+1.96*f.deviation[i]-s.truth[i]) - below(m-1.96*f.deviation[i]-s.truth[i])) / tests
	}
	return sum
}

// row holds the results of one set.
type row struct {
	set
	seed    uint64
	of      map[int]length // by number of sweeps; 0 is the default
	toTwice float64        // difference from the default
}

// length holds the results of chains of one length.
type length struct {
	fit
	error, covered, toOther float64
}

var lengths = []int{25, 50, 100, 200, 0}

func measure(ctx context.Context, s set, seed uint64, all bool) (row, error) {
	out := row{set: s, seed: seed, of: map[int]length{}}
	for _, sweeps := range lengths {
		if sweeps > 25 && !all {
			continue
		}
		f, err := fitted(ctx, s, seed, sweeps)
		if err != nil {
			return out, err
		}
		other, err := fitted(ctx, s, seed+1000, sweeps)
		if err != nil {
			return out, err
		}
		out.of[sweeps] = length{f, s.apart(f.mean, s.truth), s.covered(f), s.apart(f.mean, other.mean)}
	}
	twice, err := fitted(ctx, s, seed, 2*out.of[0].sweeps)
	if err != nil {
		return out, err
	}
	out.toTwice = s.apart(out.of[0].mean, twice.mean)
	return out, nil
}

func main() { cli.Main("mixing", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("mixing", "mixing measures how the chains of gabasr.Regressor mix on thirty sets of rows.", out)
	from := flags.Uint64("first", 1, "the first seed, of rows and of fits")
	number := flags.Uint64("seeds", 5, "number of seeds")
	flags.AtLeast(1, "seeds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	first, seeds := *from, *number
	for _, part := range []struct {
		title string
		sets  func(seed uint64) []set
	}{{"One column", oneColumn}, {"Several columns", manyColumns}} {
		bar := progressbar.New(progress, part.title, len(part.sets(first))*int(seeds))
		var rows []row
		for seed := first; seed < first+seeds; seed++ {
			for _, s := range part.sets(seed) {
				r, err := measure(ctx, s, seed, seed == first)
				if err != nil {
					return err
				}
				rows = append(rows, r)
				bar.Add(1)
			}
		}
		bar.Finish()
		fmt.Fprintf(out, "%s, seeds %d to %d\n\n", part.title, first, first+seeds-1)
		printLengths(out, rows)
		printVerdicts(out, rows)
		printFits(out, rows, first)
	}
	return nil
}

// printLengths prints the results of chains of each length.
func printLengths(out io.Writer, rows []row) {
	fmt.Fprintln(out, "                 R-hat of the  R-hat of the                      another seed:   seconds:")
	fmt.Fprintln(out, "                 evidence      predictions")
	fmt.Fprintln(out, "sweeps    fits   below 1.1     below 1.01     error   covered   median   most    median   most")
	for _, sweeps := range lengths {
		evidence, predictions := 0, 0
		var errors, covered, another, seconds []float64
		for _, r := range rows {
			l, ok := r.of[sweeps]
			if !ok {
				continue
			}
			if l.evidence < 1.1 {
				evidence++
			}
			if l.converged {
				predictions++
			}
			errors, covered, another, seconds = append(errors, l.error), append(covered, l.covered), append(another, l.toOther),
				append(seconds,
					l.seconds)
		}
		name := fmt.Sprint(sweeps)
		if sweeps == 0 {
			name = "default"
		}
		fmt.Fprintf(out, "%-9s %4d   %5d         %5d          %.3f   %.3f     %.3f    %.3f   %.3f    %.3f\n",
			name, len(errors), evidence, predictions, mean(errors), mean(covered), quantile(another, .5), quantile(another, 1),
			quantile(seconds,
				.5), quantile(seconds, 1))
	}
	fmt.Fprintln(out)
}

// printVerdicts compares fits that are reported as mixed with fits that return a warning. It prints their differences from other
// fits. Fits of 25 sweeps are divided twice: by the R-hat of the log evidence and by that of the predictions. Fits with default
// settings are divided by their length.
func printVerdicts(out io.Writer, rows []row) {
	fmt.Fprintln(out, "                                             another seed:                         twice as long:")
	fmt.Fprintln(out, "                                      fits   expected   median   9 of 10   most    median   9 of 10   most")
	print := func(name string, sweeps int, want func(l length) bool) {
		var expected, another, twice []float64
		for _, r := range rows {
			if l := r.of[sweeps]; want(l) {
				// Halves of a chain differ by a share of the deviation of a new observation. The means of four chains differ by
				// less, as the warning states.
				expected = append(expected, math.Sqrt((l.rHat*l.rHat-1)/2))
				another, twice = append(another, l.toOther), append(twice, r.toTwice)
			}
		}
		fmt.Fprintf(out, "%-37s %4d", name, len(another))
		if len(another) > 0 {
			fmt.Fprintf(out, "   %.3f      %.3f    %.3f     %.3f", quantile(expected, .5), quantile(another, .5), quantile(another, .9),
				quantile(another, 1))
			if sweeps == 0 {
				fmt.Fprintf(out, "   %.3f    %.3f     %.3f", quantile(twice, .5), quantile(twice, .9), quantile(twice, 1))
			}
		}
		fmt.Fprintln(out)
	}
	print("25 sweeps, by the evidence: mixed", 25, func(l length) bool { return l.evidence < 1.1 })
	print("                            not", 25, func(l length) bool { return !(l.evidence < 1.1) })
	print("25 sweeps, by predictions:  mixed", 25, func(l length) bool { return l.converged })
	print("                            not", 25, func(l length) bool { return !l.converged })
	for _, sweeps := range lengths[:len(lengths)-1] {
		print(fmt.Sprintf("default:                    mixed, %d", sweeps), 0,
			func(l length) bool { return l.converged && l.sweeps == sweeps })
	}
	print("                            mixed", 0, func(l length) bool { return l.converged })
	print("                            a warning", 0, func(l length) bool { return !l.converged })
	fmt.Fprintln(out)
}

// printFits prints the fits with default settings for one seed.
func printFits(out io.Writer, rows []row, seed uint64) {
	fmt.Fprintln(out, "nothing set     rows  columns  sweeps  R-hat  mixed  error  another seed  twice as long  seconds")
	for _, r := range rows {
		if r.seed != seed {
			continue
		}
		n, d := r.x.Dims()
		l := r.of[0]
		fmt.Fprintf(out, "%-14s  %4d  %7d  %6d  %.3f  %-5v  %.3f  %.3f         %.3f          %.3f\n", r.name, n, d, l.sweeps, l.rHat,
			l.converged, l.error, l.toOther, r.toTwice, l.seconds)
	}
	fmt.Fprintln(out)
}

// quantile returns the smallest value in v that is not exceeded by the given share of the values.
func quantile(v []float64, share float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[max(0, int(math.Ceil(share*float64(len(v))))-1)]
}
