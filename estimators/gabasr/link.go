package gabasr

import (
	"math"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// link turns scores into log odds, Slope·f + Offset.
type link struct{ Slope, Offset float64 }

// fitLink minimises the cross-entropy of labels 0 and 1 smoothed as in Platt (1999), by
// Newton's method with halved steps. A slope below 0, of scores that are worse than none,
// becomes 0.
func fitLink(scores, labels []float64, of weights.Counts) link {
	positive := 0.0
	size := 0.0
	for i, l := range labels {
		positive += of.Weight(i) * l
		size = max(size, math.Abs(scores[i]))
	}
	negative := of.Total - positive
	high, low := (positive+1)/(positive+2), 1/(negative+2)
	share := (positive*high + negative*low) / (positive + negative)
	prior := link{Offset: math.Log(share) - math.Log1p(-share)}
	if !(size > 0) {
		return prior
	}
	loss := func(a, b float64) float64 {
		sum := 0.0
		for i, f := range scores {
			t := low + (high-low)*labels[i]
			z := a*f/size + b
			sum += of.Weight(i) * (softplus(z) - t*z)
		}
		return sum
	}
	a, b := 0.0, prior.Offset
	now := loss(a, b)
	for range 100 {
		var ga, gb, haa, hab, hbb float64
		for i, f := range scores {
			f /= size
			t := low + (high-low)*labels[i]
			p := vecmath.Sigmoid(a*f + b)
			count := of.Weight(i)
			w := count * p * (1 - p)
			ga, gb = ga+count*(p-t)*f, gb+count*(p-t)
			haa, hab, hbb = haa+w*f*f, hab+w*f, hbb+w
		}
		haa, hbb = haa*(1+1e-12)+1e-12, hbb*(1+1e-12)+1e-12
		det := haa*hbb - hab*hab
		if !(det > 0) {
			break
		}
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		gained := 0.0
		for step := 1.0; step > 1e-6; step /= 2 {
			if v := loss(a-step*da, b-step*db); v < now {
				gained, a, b, now = now-v, a-step*da, b-step*db, v
				break
			}
		}
		if !(gained > 1e-12*now) {
			break
		}
	}
	if !(a > 0) {
		return prior
	}
	return link{Slope: a / size, Offset: b}
}
