package eem

import (
	"math"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/discriminant"
	"github.com/kernelearn/kernelearn/internal/enum"
)

// Region is the part of the projection where a row is assigned to the positive class.
type Region int

// These are the regions.
const (
	// Above predicts the positive class at and above Near. Both classes have the same spread.
	Above Region = iota
	// Between predicts the positive class between Near and Far. The positive class has the smaller spread.
	Between
	// Outside predicts the positive class outside the interval from Near to Far. The positive class has the larger spread.
	Outside
	// Always predicts the positive class everywhere.
	Always
	// Never predicts the negative class everywhere.
	Never
)

// String returns the name of the region.
func (r Region) String() string {
	return enum.Name("Region", int(r), "Above", "Between", "Outside", "Always", "Never")
}

// Thresholds holds the positions along the projection where the odds are even. There is one threshold, or two if the classes have
// different spreads. A threshold that does not exist is NaN.
type Thresholds struct {
	Near, Far float64
	Region    Region
}

// thresholds returns the thresholds in a form that does not cancel if the variances are nearly equal.
func thresholds(p *discriminant.Projection, logW float64) Thresholds {
	if p.Constant {
		if logW >= 0 {
			return Thresholds{math.NaN(), math.NaN(), Always}
		}
		return Thresholds{math.NaN(), math.NaN(), Never}
	}
	d := p.MPos - p.MNeg
	a := p.SNeg - p.SPos
	c := d*d*p.SNeg + p.SPos*p.SNeg*(math.Log(p.SPos/p.SNeg)-2*logW)
	ds := d * p.SNeg
	disc := ds*ds - a*c
	if disc < 0 {
		if a > 0 {
			return Thresholds{math.NaN(), math.NaN(), Never}
		}
		return Thresholds{math.NaN(), math.NaN(), Always}
	}
	q := ds + math.Sqrt(disc)
	t := Thresholds{Near: p.MNeg + c/q, Far: math.NaN(), Region: Above}
	if a != 0 {
		t.Far, t.Region = p.MNeg+q/a, Between
		if a < 0 {
			t.Region = Outside
		}
	}
	return t
}
