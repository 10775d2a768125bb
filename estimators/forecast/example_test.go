package forecast_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/kernelearn/kernelearn/estimators/forecast"
)

// The example forecasts monthly values with a trend and a season for one year.
func ExampleForecaster() {
	values := wave(120, 0.1, 1)
	f := &forecast.Forecaster{Horizon: 12, Difference: 12}
	if err := f.Fit(context.Background(), values, nil); err != nil {
		log.Fatal(err)
	}
	next, err := f.Forecast(12, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range []int{0, 5, 11} {
		truth := 0.05*float64(120+h) + 3*math.Sin(2*math.Pi*float64(120+h)/12)
		fmt.Printf("month %d: %.1f, between %.1f and %.1f; without noise %.1f\n", h+1, next.Mean[h], next.Low[h], next.High[h], truth)
	}
	// Output:
	// month 1: 6.0, between 5.8 and 6.3; without noise 6.0
	// month 6: 8.0, between 7.8 and 8.2; without noise 7.8
	// month 12: 5.0, between 4.8 and 5.3; without noise 5.1
}

// This example appends observed values with Update, to which the intervals adapt.
func ExampleForecast() {
	values := wave(120, 0.1, 1)
	f := &forecast.Forecaster{Difference: 12}
	if err := f.Fit(context.Background(), values[:100], nil); err != nil {
		log.Fatal(err)
	}
	inside := 0
	for _, v := range values[100:] {
		next, err := f.Forecast(1, nil)
		if err != nil {
			log.Fatal(err)
		}
		if next.Low[0] <= v && v <= next.High[0] {
			inside++
		}
		if err := f.Update([]float64{v}, nil); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(inside, "of 20 in 90% intervals")
	// Output: 18 of 20 in 90% intervals
}

func ExampleLagged() {
	l := forecast.Lagged{Lags: []int{1, 2}, Windows: []int{3}}
	x, y, at, err := l.Rows([]float64{1, 2, 4, 8, 16}, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Names())
	for i := range y {
		fmt.Printf("%.3g -> %v at %d\n", x.RawRowView(i), y[i], at[i])
	}
	// Output:
	// [lag 1 lag 2 mean of 3 deviation of 3]
	// [4 2 2.33 1.25] -> 8 at 3
	// [8 4 4.67 2.49] -> 16 at 4
}

func ExampleStrategy() {
	fmt.Println(forecast.Direct, forecast.Recursive)
	// Output: Direct Recursive
}
