package rvm

import "math"

// calibration is the correction of the machine's own variance that the refits determine (see the package documentation).
type calibration struct {
	factor float64 // factor of the machine's own variance, 1 or more
	scale  float64 // τ², for the part that the relevance vectors do not explain
	edge   float64 // 99% quantile of the unexplained share of k(x, x) in the refits
	span   float64 // variance of the targets without the noise, the limit beyond the edge; 0 for none
}

// uncalibrated leaves the machine's own variance unchanged.
var uncalibrated = calibration{factor: 1}

// addsVariance reports whether the calibration adds to the machine's own variance.
func (c calibration) addsVariance() bool { return c.scale > 0 || c.span > 0 }

// added returns the variance of the unexplained part. It is proportional to that part up to the edge of the refits. Beyond the edge
// it rises linearly to the variance of the targets without the noise.
func (c calibration) added(unseen, own float64) float64 {
	v := c.scale * unseen
	share := unseen / own
	if !(share > c.edge) || !(c.edge < 1) { // also for 0/0
		return v
	}
	return v + max(0, c.span-v)*min((share-c.edge)/(1-c.edge), 1)
}

func (c calibration) valid() bool {
	for _, v := range []float64{c.factor, c.scale, c.edge, c.span} {
		if math.IsInf(v, 0) || !(v >= 0) {
			return false
		}
	}
	return c.factor >= 1 && c.edge <= 1
}

// numbers returns the form of the calibration in a file.
func (c calibration) numbers() []float64 {
	if c == uncalibrated {
		return nil
	}
	return []float64{c.factor, c.scale, c.edge, c.span}
}

// calibrationOf returns the calibration with the given numbers.
func calibrationOf(numbers []float64) (c calibration, ok bool) {
	switch len(numbers) {
	case 0:
		return uncalibrated, true
	case 4:
		return calibration{numbers[0], numbers[1], numbers[2], numbers[3]}, true
	}
	return c, false
}
