// Package extend is in a module outside kernelearn. It contains an example of each kind of extension: a kernel ([Matern72]), a
// family for it ([Matern72Family]), an estimator ([Smoother]), a transformer ([Clip]), a search ([Zoom]), a metric ([Pinball]), a
// capability ([RowWeigher]) and an adapter ([Points]). For each of the first five, a test runs the suite of its contract, and the
// example combines them. The module's path is not below kernelearn's, so it cannot import internal packages.
package extend
