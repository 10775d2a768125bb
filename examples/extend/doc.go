// Package extend is a module outside kernelearn with one of each possible extension: a kernel ([Matern72]), a family of it
// ([Matern72Family]), an estimator ([Smoother]), a transformer ([Clip]), a search ([Zoom]), a metric ([Pinball]), a capability
// ([RowWeigher]) and an adapter ([Points]). A test for each of the first five runs the suite of its contract, and the example
// combines them. The module's path is not below kernelearn's, so it cannot import internal packages.
package extend
