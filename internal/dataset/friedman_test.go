package dataset

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
)

func TestFriedman1(t *testing.T) {
	x, y := Friedman1(4000, 7, 3)
	var noise []float64
	for i := range y {
		r := x.RawRowView(i)
		noise = append(noise, y[i]-10*math.Sin(math.Pi*r[0]*r[1])-20*(r[2]-.5)*(r[2]-.5)-10*r[3]-5*r[4])
	}
	assert.InDelta(t, 0, stat.Mean(noise, nil), .06)
	assert.InDelta(t, 1, stat.Variance(noise, nil), .08)
	again, _ := Friedman1(4000, 7, 3)
	assert.Equal(t, x.RawMatrix().Data, again.RawMatrix().Data)
}
