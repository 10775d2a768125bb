package numeral

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNumbers(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "0.95": 0.95, "-0.861": -0.8612, "0.000516": 0.0005159691736877854, "5.16e-5": 0.00005159691736877854, "7e-14": 7e-14, "1234": 1234.4, "12 346": 12345.6,
		"1 000 000": 1e6, "1e7": 1e7, "3.14": math.Pi, "123": 123.4, "1": 1,
	} {
		assert.Equal(t, want, Short(v))
	}
	assert.Equal(t, "0.38", Digits(0.382, 2))
	assert.Equal(t, "RBF(gamma=0.000516)", Rounded("RBF(gamma=0.0005159691736877854)"))
	assert.Equal(t, "Matern(nu=2.5, length=1.23e-6), 20000 rows", Rounded("Matern(nu=2.5, length=1.2345e-06), 20000 rows"))
	assert.Equal(t, "Yeo-Johnson", Rounded("Yeo-Johnson"))
	assert.Equal(t, "0 fits, 1 fit, 2 fits", Count(0, "fit", "fits")+", "+Count(1, "fit", "fits")+", "+Count(2, "fit", "fits"))
	assert.Equal(t, "-12 345.5", Thousands("-12345.5"))
}
