package plotstyle

import (
	"math"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/numeral"
	"gonum.org/v1/plot"
)

// Round labels round numbers, which are 1, 2 or 5 times a power of ten apart.
type Round struct {
	Most int     // largest number of labels; 0: 7
	Top  float64 // largest label; 0: the end of the axis
}

// Ticks implements plot.Ticker.
func (r Round) Ticks(low, high float64) (out []plot.Tick) {
	if r.Top != 0 {
		high = min(high, r.Top)
	}
	if r.Most == 0 {
		r.Most = 7
	}
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: numeral.Digits(low, 6)}}
	}
	power := math.Floor(math.Log10(high - low))
	step, decimals := math.Pow(10, power), 0.0
	for _, f := range []struct{ factor, power float64 }{{0.1, -1}, {0.2, -1}, {0.5, -1}, {1, 0}, {2, 0}, {5, 0}} {
		if (high-low)/(step*f.factor) < float64(r.Most) {
			step, decimals = step*f.factor, max(0, -(power+f.power))
			break
		}
	}
	first := math.Ceil(low/step - 1e-9)
	for i := range r.Most + 1 {
		v := (first+float64(i))*step + 0 // + 0 replaces -0
		if v > high+1e-9*step {
			break
		}
		label := strconv.FormatFloat(v, 'g', 6, 64)
		if math.Abs(v) < 1e7 && decimals <= 5 {
			label = numeral.Thousands(strconv.FormatFloat(v, 'f', int(decimals), 64))
		}
		if v == 0 || math.Abs(v) < 1e-9*step {
			v, label = 0, "0"
		}
		out = append(out, plot.Tick{Value: min(max(v, low), high), Label: label})
	}
	return out
}

// Logs labels an axis of decimal logs with the original numbers. The labels are powers of ten, for few decades also 3 times, or 2
// and 5 times, these powers. For less than a decade they are round numbers. Data are drawn as logs, because plot.LogScale reserves
// room for the axis label as if it were at the far end.
type Logs struct{ Most int } // approximate number of labels; 0: 8

// Ticks implements plot.Ticker.
func (l Logs) Ticks(low, high float64) (out []plot.Tick) {
	if l.Most == 0 {
		l.Most = 8
	}
	const slack = 1e-9
	every := max(1, math.Ceil((high-low)/float64(l.Most)))
	for _, factors := range [][]float64{{1}, {1, 3}, {1, 2, 5}} {
		out = nil
		for e := math.Floor(low/every) * every; e <= high; e += every {
			for _, f := range factors {
				if v := e + math.Log10(f); v >= low-slack && v <= high+slack {
					out = append(out, plot.Tick{Value: min(max(v, low), high), Label: power(f, int(e))})
				}
			}
		}
		if len(out) >= min(3, l.Most-1) {
			return out
		}
	}
	// Larger round numbers are closer together: leave out those whose labels would touch.
	out = nil
	for _, tick := range (Round{Most: l.Most}).Ticks(math.Pow(10, low), math.Pow(10, high)) {
		if tick.Value <= 0 {
			continue
		}
		tick.Value = min(max(math.Log10(tick.Value), low), high)
		if n := len(out); n == 0 || tick.Value-out[n-1].Value >= 0.8*(high-low)/float64(l.Most) {
			out = append(out, tick)
		}
	}
	return out
}

// power formats a digit times a power of ten.
func power(digit float64, exponent int) string {
	if exponent >= -4 && exponent <= 6 {
		return numeral.Thousands(strconv.FormatFloat(digit*math.Pow(10, float64(exponent)), 'f', max(0, -exponent), 64))
	}
	d := strconv.FormatFloat(digit, 'f', 0, 64)
	switch {
	case exponent < 0: // the font has no superscript minus
		return d + "e" + strconv.Itoa(exponent)
	case digit == 1:
		return "10" + superscript(exponent)
	}
	return d + "·10" + superscript(exponent)
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, r := range strconv.Itoa(n) {
		b.WriteRune(digits[r-'0'])
	}
	return b.String()
}

// LabelTicks labels measured values on an axis of logs, except those whose labels would touch.
func LabelTicks(values []float64, apart float64) plot.ConstantTicks {
	var out plot.ConstantTicks
	for _, v := range values {
		at := math.Log10(v)
		if n := len(out); n > 0 && at-out[n-1].Value < apart {
			continue
		}
		out = append(out, plot.Tick{Value: at, Label: numeral.Short(v)})
	}
	return out
}
