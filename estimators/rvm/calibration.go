package rvm

import "math"

// calibration is what refits have found the machine's own variance to lack (package documentation).
type calibration struct {
	factor float64 // of the machine's own variance, 1 or more
	scale  float64 // τ², of what the relevance vectors do not see
	edge   float64 // the share of k(x, x) that they did not see of the rows of the refits
	span   float64 // the variance of the targets without the noise, which is reached beyond the edge; 0: never
}

// uncalibrated leaves the machine's own variance as it is.
var uncalibrated = calibration{factor: 1}

// addsVariance is whether anything is added to the machine's own variance.
func (c calibration) addsVariance() bool { return c.scale > 0 || c.span > 0 }

// added is the variance of what is not seen: in proportion to it as far as the refits have seen rows, and
// beyond them on a line to the variance of the targets.
func (c calibration) added(unseen, own float64) float64 {
	v := c.scale * unseen
	share := unseen / own
	if !(share > c.edge) || !(c.edge < 1) { // also of 0/0
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

// numbers are what a file has of it.
func (c calibration) numbers() []float64 {
	if c == uncalibrated {
		return nil
	}
	return []float64{c.factor, c.scale, c.edge, c.span}
}

// calibrationOf is the calibration of such numbers.
func calibrationOf(numbers []float64) (c calibration, ok bool) {
	switch len(numbers) {
	case 0:
		return uncalibrated, true
	case 4:
		return calibration{numbers[0], numbers[1], numbers[2], numbers[3]}, true
	}
	return c, false
}
