package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// toyRows is the number of rows in each class.
const toyRows = 500

// toyPaper holds the two values of 1-KTA that the paper's text states, by degrees.
var toyPaper = map[int]float64{30: 0.936, 180: 0.395}

// toySpreads lists standard deviations of the classes, divided by the distance between their means. The first is printed in the
// paper. The second reproduces the paper's figures for KTA.
var toySpreads = []float64{0.5, 0.36}

// toy holds the results of figure 3 for an angle.
type toy struct {
	degrees int
	spread  float64

	kta, fsm          float64 // values of 1-KTA and FSMerr for the first draw
	svmError          float64 // on the first draw
	meanKTA, sdKTA    float64 // over all draws
	meanFSM, sdFSM    float64
	exactKTA, example float64 // limits of 1-KTA for many rows, with and without spread
}

// drawToy draws rows of two classes, +1 around (1, 0) and -1 around (cos β, sin β).
func drawToy(degrees int, spread float64, rng *rand.Rand) (*mat.Dense, []int) {
	beta := float64(degrees) * math.Pi / 180
	means := [2][2]float64{{math.Cos(beta), math.Sin(beta)}, {1, 0}}
	sd := spread * math.Hypot(means[0][0]-means[1][0], means[0][1]-means[1][1])
	x, y := mat.NewDense(2*toyRows, 2, nil), make([]int, 2*toyRows)
	for i := range y {
		y[i] = i % 2
		x.SetRow(i, []float64{means[y[i]][0] + sd*rng.NormFloat64(), means[y[i]][1] + sd*rng.NormFloat64()})
	}
	return x, y
}

// example returns 1-KTA for the paper's Example 1, equation 8. In the example, each class is one point of unit length, and the
// classes have the same size.
func example(degrees int) float64 {
	alpha := math.Cos(float64(degrees) * math.Pi / 180)
	return 1 - (1-alpha)/math.Sqrt(2*(1+alpha*alpha))
}

// exact returns the limit of 1-KTA for many rows, which is Example 1 with the spread. M = E xx' is s²I plus the mean of the outer
// products of the classes' means, |d|² = 2(1-α), and
//
//	KTA = |d|²/4 / √tr M²,  tr M² = 2s⁴ + 2s² + (1+α²)/2
func exact(degrees int, spread float64) float64 {
	alpha := math.Cos(float64(degrees) * math.Pi / 180)
	variance := spread * spread * 2 * (1 - alpha)
	return 1 - (1-alpha)/2/math.Sqrt(2*variance*variance+2*variance+(1+alpha*alpha)/2)
}

// level returns the limit of FSMerr for many rows, which does not depend on the angle.
func level(spread float64) float64 { return 4 * spread * spread / (1 + 4*spread*spread) }

// bayes returns the smallest possible error.
func bayes(spread float64) float64 { return math.Erfc(1/(2*spread)/math.Sqrt2) / 2 }

// figure3 prints and draws the toy data.
func (s settings) figure3(ctx context.Context, out, progress io.Writer) error {
	var toys []toy
	for _, spread := range toySpreads {
		for degrees := 30; degrees <= 180; degrees += s.step {
			toys = append(toys, toy{degrees: degrees, spread: spread})
		}
	}
	bar := progressbar.New(progress, "problems", len(toys))
	err := parallel.ForEach(ctx, s.workers, len(toys), func(i int) error {
		defer func() { bar.Add(1) }()
		return s.measure(ctx, &toys[i])
	})
	if err != nil {
		return err
	}
	bar.Finish()
	if err := s.printToys(out, toys); err != nil {
		return err
	}
	if path, wanted := s.picture("fsm-figure3.png"); wanted {
		return drawToys(path, toys)
	}
	return nil
}

// measure computes the results of t. Each draw at an angle has its own random stream, which is the same for all spreads.
func (s settings) measure(ctx context.Context, t *toy) error {
	var kta, fsm []float64
	for draw := range s.draws {
		x, y := drawToy(t.degrees, t.spread, rand.New(rand.NewPCG(s.seed, uint64(t.degrees)<<32|uint64(draw))))
		// The linear kernel's features are the rows themselves.
		m, err := measures.SeparabilityOfFeatures(ctx, x, y, nil)
		if err != nil {
			return err
		}
		kta, fsm = append(kta, 1-m.KTA), append(fsm, m.FSMErr)
		if draw > 0 {
			continue
		}
		k, err := kernels.Matrix(ctx, kernels.Linear{}, x, &kernels.Options{Workers: 1})
		if err != nil {
			return err
		}
		for repeat := range s.repeats {
			shares, err := s.foldErrors(ctx, k, y, repeat)
			if err != nil {
				return err
			}
			t.svmError += stat.Mean(shares, nil) / float64(s.repeats)
		}
	}
	t.kta, t.fsm = kta[0], fsm[0]
	t.meanKTA, t.sdKTA = stat.MeanStdDev(kta, nil)
	t.meanFSM, t.sdFSM = stat.MeanStdDev(fsm, nil)
	t.exactKTA, t.example = exact(t.degrees, t.spread), example(t.degrees)
	return nil
}

func (s settings) printToys(out io.Writer, toys []toy) error {
	fmt.Fprintf(out, "Figure 3: linear kernel, two Gaussian classes of %d rows, seed %d\n", toyRows, s.seed)
	fmt.Fprintf(out, "of one draw: 1-KTA, FSMerr, and the SVM's error in %d-fold cross-validation, %d times; mean (sd): of %d draws\n",
		s.folds, s.repeats, s.draws)
	fmt.Fprintln(out, "Example 1: 1-KTA by the paper's equation 8, for classes without spread; with spread: the same for ours, and many "+
		"rows")
	for _, spread := range toySpreads {
		fmt.Fprintf(out, "\nstandard deviation %.2f |d|; with many rows FSMerr is %.3f at every angle, and no classifier errs less than "+
			"%.3f\n\n", spread, level(spread), bayes(spread))
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "angle\t1-KTA\tmean (sd)\twith spread\tExample 1\tpaper\tFSMerr\tmean (sd)\tSVM error\t")
		for _, t := range toys {
			if t.spread != spread {
				continue
			}
			paper := ""
			if v, ok := toyPaper[t.degrees]; ok {
				paper = fmt.Sprintf("%.3f", v)
			}
			fmt.Fprintf(w, "%d\t%.3f\t%.3f (%.3f)\t%.3f\t%.3f\t%s\t%.3f\t%.3f (%.3f)\t%.3f\t\n",
				t.degrees, t.kta, t.meanKTA, t.sdKTA, t.exactKTA, t.example, paper, t.fsm, t.meanFSM, t.sdFSM, t.svmError)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	return nil
}
