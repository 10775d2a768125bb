package forecast

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Lagged selects the past values of a series that are features.
type Lagged struct {
	// Lags lists distances in steps, back from the predicted value, for predictions one step ahead. All are >= 1: 1 is the last
	// known value, and in monthly values 12 is the value one year before. If both Lags and Windows are nil, Lags are 1 to 12.
	Lags []int

	// Windows lists window sizes, all >= 2. For each, the mean and the standard deviation of the last values are features.
	Windows []int
}

const defaultLags = 12

func (l Lagged) lags() []int {
	if l.Lags != nil || l.Windows != nil {
		return l.Lags
	}
	out := make([]int, defaultLags)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// history returns the number of values up to and including an origin that are needed for its row.
func (l Lagged) history() int {
	return max(1, slices.Max(append([]int{1}, l.lags()...)), slices.Max(append([]int{1}, l.Windows...)))
}

func (l Lagged) check(typ string) error {
	for i, lag := range l.lags() {
		if lag < 1 {
			return fault.Param(typ, fmt.Sprintf("Lags[%d]", i), lag, ">= 1")
		}
	}
	for i, width := range l.Windows {
		if width < 2 {
			return fault.Param(typ, fmt.Sprintf("Windows[%d]", i), width, ">= 2")
		}
	}
	if len(l.lags())+len(l.Windows) == 0 {
		return fault.Param(typ, "Lags", "empty", "a lag or a window")
	}
	return nil
}

// Names returns the names of the features: "lag 1", "mean of 7", "deviation of 7".
func (l Lagged) Names() (out []string) {
	for _, lag := range l.lags() {
		out = append(out, fmt.Sprintf("lag %d", lag))
	}
	for _, width := range l.Windows {
		out = append(out, fmt.Sprintf("mean of %d", width), fmt.Sprintf("deviation of %d", width))
	}
	return out
}

// width returns the number of features.
func (l Lagged) width() int { return len(l.lags()) + 2*len(l.Windows) }

// set writes the features for an origin, which is the last of the past values.
func (l Lagged) set(dst, past []float64) {
	n := len(past)
	for _, lag := range l.lags() {
		dst[0], dst = past[n-lag], dst[1:]
	}
	for _, width := range l.Windows {
		mean, deviation := stat.PopMeanStdDev(past[n-width:], nil)
		dst[0], dst[1], dst = mean, deviation, dst[2:]
	}
}

// Rows returns a row of features for each origin whose target is in the series (m×d). It also returns these targets, which are the
// values steps later (m), and their positions in the series. If known is not nil, it holds columns (n×k) that are known in advance,
// and Rows adds their values at the time of the target. It returns [estimators.ErrParam], [estimators.ErrShape] if the series is
// too short for a row, or [estimators.ErrNotFinite].
func (l Lagged) Rows(values []float64, known mat.Matrix, steps int) (x *mat.Dense, targets []float64, at []int, err error) {
	defer fault.Recover(&err)
	const typ = "forecast: Lagged"
	if err := l.check(typ); err != nil {
		return nil, nil, nil, err
	}
	if err := check.Vector("values", values); err != nil {
		return nil, nil, nil, err
	}
	if steps < 1 || steps > len(values) {
		return nil, nil, nil, fault.Param(typ, "steps", steps, fmt.Sprintf("1 to the %d values", len(values)))
	}
	k, err := knownDense(known, len(values))
	if err != nil {
		return nil, nil, nil, err
	}
	first := l.history() - 1 + steps
	if first >= len(values) || l.history() > len(values) { // the sum overflows for a very large lag
		first = max(first, l.history())
		return nil, nil, nil, fault.Shape("values has", len(values), "entries",
			"want at least %d, for the longest lag or window and %d steps", first+1, steps)
	}
	x = mat.NewDense(len(values)-first, l.width()+columnsOf(k), nil)
	for i := range len(values) - first {
		t := first + i
		row := x.RawRowView(i)
		l.set(row[:l.width()], values[:t-steps+1])
		if k != nil {
			copy(row[l.width():], k.RawRowView(t))
		}
		targets, at = append(targets, values[t]), append(at, t)
	}
	return x, targets, at, nil
}

func columnsOf(k *mat.Dense) int {
	if k == nil {
		return 0
	}
	return k.RawMatrix().Cols
}

// knownDense returns the columns that are known in advance as a dense matrix. It checks that they have a row for each time.
func knownDense(known mat.Matrix, rows int) (*mat.Dense, error) {
	if check.IsNil(known) {
		return nil, nil
	}
	k, err := check.DenseGaps("known", known, check.Anywhere)
	if err != nil {
		return nil, err
	}
	return k, check.Rows("known", k.RawMatrix().Rows, rows)
}

// appendRows returns a matrix with the rows of a, followed by those of b.
func appendRows(a, b *mat.Dense) *mat.Dense {
	if a == nil || b == nil {
		return a
	}
	var out mat.Dense
	out.Stack(a, b)
	return &out
}
