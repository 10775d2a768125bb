package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// defaultBins is the default number of bins of Calibration.
const defaultBins = 10

const maxBins = 1 << 20

// Binning selects how Calibration groups rows.
type Binning int

// The binnings.
const (
	EqualWidth Binning = iota // bins of equal width: [0, 1/B), [1/B, 2/B), ..., [1-1/B, 1]
	EqualCount                // quantile bins, with equal numbers of rows as far as equal probabilities allow
)

// String returns the binning's name.
func (b Binning) String() string {
	return enum.Name("Binning", int(b), "EqualWidth", "EqualCount")
}

// Bin is a group of rows with similar probabilities. It is a point of a reliability diagram.
type Bin struct {
	Low, High float64 // EqualWidth: the ends of the bin; EqualCount: its smallest and largest probability
	Mean      float64 // mean probability
	Frequency float64 // fraction of rows in the class
	Count     int     // number of rows, at least 1
}

// Calibration compares the probabilities p (n) of the class positive with its frequency among the rows y (n). Where Mean is 0.8,
// Frequency should also be 0.8. The argument bins is the number of bins, from 1 to 2²⁰ (0: 10). It returns the nonempty bins in
// ascending order. With more than two classes, the class is compared against the rest. It costs O(n log n).
//
// Bins of equal width cover the whole range, but some may have few rows. Bins of equal count are equally accurate. Rows with equal
// probabilities are never separated. Errors: ErrShape, ErrNotFinite, ErrParam.
func Calibration(y []int, positive int, p []float64, bins int, binning Binning) (_ []Bin, err error) {
	defer fault.Recover(&err)
	if err := sameLength("p", len(p), len(y)); err != nil {
		return nil, err
	}
	if bins == 0 {
		bins = defaultBins
	}
	switch {
	case bins < 1 || bins > maxBins:
		return nil, fault.Param("metrics: Calibration", "bins", bins, fmt.Sprintf("in [1, %d], or 0 for the default", maxBins))
	case binning != EqualWidth && binning != EqualCount:
		return nil, fault.Param("metrics: Calibration", "binning", int(binning), "EqualWidth or EqualCount")
	}
	rows, err := byProbability(y, positive, p)
	if err != nil {
		return nil, err
	}
	var out []Bin
	for start, b := 0, 0; start < len(rows); b++ {
		low, high := float64(b)/float64(bins), float64(b+1)/float64(bins)
		end := start
		if binning == EqualCount {
			end = max(start, (b+1)*len(rows)/bins)
			for end > start && end < len(rows) && rows[end].p == rows[end-1].p {
				end++
			}
		} else {
			for end < len(rows) && (rows[end].p < high || b == bins-1) {
				end++
			}
		}
		if end == start {
			continue
		}
		if binning == EqualCount {
			low, high = rows[start].p, rows[end-1].p
		}
		out, start = append(out, binOf(rows[start:end], low, high)), end
	}
	return out, nil
}

// outcome holds a row's probability, and whether the row is in the class.
type outcome struct {
	p   float64
	hit bool
}

// byProbability returns the rows in the order of their probabilities.
func byProbability(y []int, positive int, p []float64) ([]outcome, error) {
	rows := make([]outcome, len(p))
	for i, v := range p {
		if v-v != 0 {
			return nil, &fault.NotFiniteError{Name: "p", Row: i, Col: -1, Value: v}
		}
		if v < -probabilityTolerance || v > 1+probabilityTolerance {
			return nil, fault.Param("metrics", fmt.Sprintf("p[%d]", i), v, "in [0, 1]")
		}
		rows[i] = outcome{min(max(v, 0), 1), y[i] == positive}
	}
	slices.SortFunc(rows, func(a, b outcome) int { return cmp.Compare(a.p, b.p) })
	return rows, nil
}

func binOf(rows []outcome, low, high float64) Bin {
	b := Bin{Low: low, High: high, Count: len(rows)}
	n := float64(len(rows))
	for _, r := range rows {
		b.Mean += r.p
		if r.hit {
			b.Frequency++
		}
	}
	b.Mean, b.Frequency = b.Mean/n, b.Frequency/n
	return b
}

// CalibrationError returns the expected calibration error of bins, the mean over their rows of |Frequency - Mean|: 0 is calibrated,
// and 1 is worst. It depends on the bins, and includes the noise in their Frequencies. It is not a proper score: predicting the
// same frequency for all rows has error 0. It is NaN for no bins.
func CalibrationError(bins []Bin) float64 {
	sum, count := 0.0, 0
	for _, b := range bins {
		sum += float64(b.Count) * math.Abs(b.Frequency-b.Mean)
		count += b.Count
	}
	return sum / float64(count)
}
