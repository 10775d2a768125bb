package metrics_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection/metrics"
)

func ExampleNMSE() {
	v, err := metrics.NMSE([]float64{1, 2, 3}, []float64{1, 2, 4}, nil)
	fmt.Println(v, err)
	// Output: 0.5 <nil>
}

func ExampleR2() {
	v, err := metrics.R2([]float64{1, 2, 3}, []float64{1, 2, 4}, nil)
	fmt.Println(v, err)
	// Output: 0.5 <nil>
}

func ExampleRMSE() {
	y, predicted := []float64{1, 2, 3}, []float64{1, 2, 6}
	plain, err := metrics.RMSE(y, predicted, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	weighted, err := metrics.RMSE(y, predicted, []float64{4, 4, 1}) // equivalent to repeating the first two rows four times
	fmt.Printf("%.3f %.3f %v\n", plain, weighted, err)
	// Output: 1.732 1.000 <nil>
}

func ExampleMAE() {
	v, err := metrics.MAE([]float64{1, 2, 3}, []float64{1, 2, 6}, nil)
	fmt.Println(v, err)
	// Output: 1 <nil>
}

func ExampleAccuracy() {
	v, err := metrics.Accuracy([]int{0, 0, 0, 1}, []int{0, 0, 0, 0}, nil)
	fmt.Println("always the large class:", v, err)
	// Output: always the large class: 0.75 <nil>
}

func ExampleGMean() {
	v, err := metrics.GMean([]int{0, 0, 0, 0, 1}, []int{0, 0, 0, 0, 0}, nil)
	fmt.Println("always the large class:", v, err)
	// Output: always the large class: 0 <nil>
}

func ExampleAUC() {
	v, err := metrics.AUC([]int{0, 0, 1, 1}, 1, []float64{-1, 0.5, 0.2, 2}, nil)
	fmt.Println(v, err) // one of the four pairs of a 0 and a 1 is in the wrong order
	// Output: 0.75 <nil>
}

func ExampleAUCOfScores() {
	scores := mat.NewDense(3, 3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 1}) // columns for 0, 1, 2
	v, err := metrics.AUCOfScores([]int{0, 1, 2}, []int{0, 1, 2}, scores, nil)
	fmt.Println(v, err)
	// Output: 1 <nil>
}

func ExampleLogLoss() {
	p := mat.NewDense(2, 2, []float64{0.9, 0.1, 0.2, 0.8}) // columns for 3 and 7
	v, err := metrics.LogLoss([]int{3, 7}, []int{3, 7}, p, nil)
	fmt.Printf("%.4f %v\n", v, err) // -(ln .9 + ln .8)/2
	// Output: 0.1643 <nil>
}

func ExampleBrier() {
	p := mat.NewDense(2, 2, []float64{0.9, 0.1, 0.2, 0.8})
	v, err := metrics.Brier([]int{3, 7}, []int{3, 7}, p, nil)
	fmt.Printf("%.3f, of the positive class alone %.3f %v\n", v, v/2, err)
	// Output: 0.050, of the positive class alone 0.025 <nil>
}

func ExampleCalibration() {
	y := []int{0, 0, 1, 1, 1, 1}
	p := []float64{0.1, 0.2, 0.3, 0.8, 0.9, 1} // of class 1
	bins, err := metrics.Calibration(y, 1, p, 2, metrics.EqualWidth)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range bins {
		fmt.Printf("%.1f to %.1f: predicted %.2f, observed %.2f in %d rows\n", b.Low, b.High, b.Mean, b.Frequency, b.Count)
	}
	fmt.Printf("expected calibration error %.3f\n", metrics.CalibrationError(bins))
	// Output:
	// 0.0 to 0.5: predicted 0.20, observed 0.33 in 3 rows
	// 0.5 to 1.0: predicted 0.90, observed 1.00 in 3 rows
	// expected calibration error 0.117
}

// Bins of equal count contain the same number of rows.
func ExampleBinning() {
	y := []int{0, 0, 0, 1, 0, 1, 1, 1}
	p := []float64{0.02, 0.04, 0.05, 0.06, 0.08, 0.09, 0.7, 0.9}
	for _, binning := range []metrics.Binning{metrics.EqualWidth, metrics.EqualCount} {
		var bins []metrics.Bin
		bins, err := metrics.Calibration(y, 1, p, 4, binning)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(binning, ":")
		for _, b := range bins {
			fmt.Printf(" %d", b.Count)
		}
		fmt.Println()
	}
	// Output:
	// EqualWidth: 6 1 1
	// EqualCount: 2 2 2 2
}

func ExampleConfusion() {
	c, err := metrics.NewConfusion([]int{-1, -1, -1, 1, 1, 2}, []int{-1, -1, 1, 1, 1, 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(c)
	fmt.Printf("balanced accuracy %.3f, F1 of class 1 %.3f\n", c.BalancedAccuracy(), c.F1(1))
	// Output:
	// y \ predicted     -1      1  2  recall
	//            -1      2      1  0   0.667
	//             1      0      2  0   1.000
	//             2      0      1  0   0.000
	//     precision  1.000  0.500  -   0.667
	// balanced accuracy 0.556, F1 of class 1 0.667
}

func ExampleCoverage() {
	y := []float64{1, 2, 3, 4}
	share, width, err := metrics.Coverage(y, []float64{0, 1, 2, 3}, []float64{2, 3, 4, 3.5}, nil)
	fmt.Println(share, width, err)
	// Output: 0.75 1.625 <nil>
}

func ExampleNormalCoverage() {
	y, mean, variance := []float64{1, 2, 3, 9}, []float64{1, 2, 4, 4}, []float64{1, 1, 1, 1}
	share, width, err := metrics.NormalCoverage(y, mean, variance, 0.95, nil)
	fmt.Printf("%.2f within intervals of width %.2f %v\n", share, width, err)
	// Output: 0.75 within intervals of width 3.92 <nil>
}

func ExampleLogDensity() {
	y, mean := []float64{1, 2, 3, 9}, []float64{1, 2, 4, 4}
	for _, variance := range []float64{1, 6.5, 50} { // 6.5 is the mean squared residual, and the best of these variances
		v, err := metrics.LogDensity(y, mean, []float64{variance, variance, variance, variance}, nil)
		fmt.Printf("%.2f %v\n", v, err)
	}
	// Output:
	// -4.17 <nil>
	// -2.35 <nil>
	// -2.94 <nil>
}

func ExampleMetric() {
	m := metrics.Metric{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores}
	v, err := m.Scores([]int{0, 1, 1}, []int{0, 1}, mat.NewDense(3, 2, []float64{.9, .1, .2, .8, .4, .6}), nil)
	fmt.Println(m.Name, v, err)
	// Output: AUC 1 <nil>
}

func ExampleByName() {
	rmse, err := metrics.ByName("RMSE")
	if err != nil {
		panic(err)
	}
	fmt.Println(rmse.Values([]float64{1, 2}, []float64{1, 4}, nil))
	_, err = metrics.ByName("rmse")
	fmt.Println(err)
	// Output:
	// 1.4142135623730951 <nil>
	// metrics: name = rmse, want one of NMSE, R2, RMSE, MAE, LogDensity, CRPS, Accuracy, GMean, BalancedAccuracy, MCC, AUC, AveragePrecision, LogLoss, Brier
}

// Half of the class is found before the first mistake.
func ExampleROCCurve() {
	var c metrics.ROCCurve
	c, err := metrics.ROC([]int{0, 0, 1, 1}, 1, []float64{-1, 0.5, 0.2, 2}, nil)
	fmt.Println(c.FalsePositive, c.TruePositive)
	fmt.Println("area", c.Area, err)
	// Output:
	// [0 0 0.5 0.5 1] [0 0.5 0.5 1 1]
	// area 0.75 <nil>
}

func ExampleROCOfScores() {
	scores := mat.NewDense(4, 3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 1, 1, 0, 0}) // columns for 0, 1, 2
	curves, err := metrics.ROCOfScores([]int{0, 1, 2, 2}, []int{0, 1, 2}, scores, nil)
	for _, c := range curves {
		fmt.Printf("class %d against the rest: %.2f\n", c.Class, c.Area)
	}
	fmt.Println(err)
	// Output:
	// class 0 against the rest: 1.00
	// class 1 against the rest: 1.00
	// class 2 against the rest: 0.75
	// <nil>
}

func ExamplePrecisionRecallCurve() {
	var c metrics.PrecisionRecallCurve
	c, err := metrics.PrecisionRecall([]int{0, 0, 1, 1}, 1, []float64{-1, 0.5, 0.2, 2}, nil)
	for i, threshold := range c.Thresholds {
		fmt.Printf("at %4.1f: precision %.2f recall %.2f\n", threshold, c.Precision[i], c.Recall[i])
	}
	fmt.Printf("average precision %.3f, of chance %.1f %v\n", c.AveragePrecision, c.Base, err)
	// Output:
	// at  2.0: precision 1.00 recall 0.50
	// at  0.5: precision 0.50 recall 0.50
	// at  0.2: precision 0.67 recall 1.00
	// at -1.0: precision 0.50 recall 1.00
	// average precision 0.833, of chance 0.5 <nil>
}

// The example prints the interval for a class that occurs in three of ten rows.
func ExampleBin_Interval() {
	low, high, err := metrics.Bin{Frequency: 0.3, Count: 10}.Interval(0.95)
	fmt.Printf("%.2f to %.2f %v\n", low, high, err)
	// Output: 0.11 to 0.60 <nil>
}

// The function is a metric for cross-validations and searches, and can also be called alone.
func ExampleAveragePrecisionOfScores() {
	m := metrics.Metric{Name: "AP", LargerIsBetter: true, Scores: metrics.AveragePrecisionOfScores}
	scores := mat.NewDense(4, 2, []float64{.9, .1, .2, .8, .6, .4, .7, .3})
	v, err := m.Scores([]int{4, 7, 4, 7}, []int{4, 7}, scores, nil)
	fmt.Printf("%s %.3f %v\n", m.Name, v, err)
	// Output: AP 0.833 <nil>
}
