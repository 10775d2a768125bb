// Package extend is a module outside kernelearn that adds one of everything that can be added: a kernel ([Matern72]), a
// family of it ([Matern72Family]), an estimator ([Smoother]), a transformer ([Clip]), a search ([Zoom]), a metric
// ([Pinball]), a capability ([RowWeigher]) and an adapter ([Points]). The first five have a test that runs the suite of
// their contract, and the example puts them together. The module's path is not below kernelearn's, so it cannot import what
// is internal there.
package extend
