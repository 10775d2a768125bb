// Package forecast predicts a series from its past values with any regressor of this module.
//
//	f := &forecast.Forecaster{Horizon: 12, Lagged: forecast.Lagged{Lags: []int{1, 2, 12}}, Difference: 12}
//	err := f.Fit(ctx, values, nil)
//	next, err := f.Forecast(12, nil)        // means and intervals of the next twelve values
//	err = f.Update(observed, nil)           // append new values; intervals adapt
//
// # Features
//
// [Lagged] computes rows from a series: earlier values, and means and standard deviations of recent values. The row of an origin t
// contains only values up to t, so no row contains information from later values. For columns that are known in advance, such as
// the hour, a holiday or a planned price, the row contains the values at the predicted time.
//
// # Strategies
//
// [Direct] fits a model for each horizon, the number of steps ahead. [Recursive] fits one model for one step ahead and uses its own
// predictions as past values. It costs less, but its errors accumulate.
//
// # Intervals
//
// The errors of a regressor on its training rows are too small, and errors several steps ahead are larger than errors one step
// ahead. Fit therefore first leaves out the end of the series (Held). It forecasts this part from origins within it, and keeps the
// absolute errors for each horizon. An interval is the forecast plus or minus a quantile of the last Window of these errors. With
// Ensemble, each error comes from models that were fitted to blocks of the series without that row (EnbPI: C. Xu and Y. Xie, ICML
// 2021), so nothing is held out.
//
// Update adds the errors of observed values, and adapts the level of the quantile: after an interval that missed its value, the
// next is wider. This is adaptive conformal inference (I. Gibbs and E. Candès, NeurIPS 2021),
//
//	α ← α + Rate (1 - Level - [missed]).
//
// In the long run, the share of misses tends to 1 - Level, whatever changes in the series: after T updates they differ by at most
// (1 + Rate)/(T Rate).
package forecast
