// Package extend is a module outside kernelearn that adds one of everything that can be added: a
// kernel ([Matern72]), a family of it ([Matern72Family]), an estimator
// ([Smoother]), a transformer ([Clip]), a search ([Zoom]), a metric ([Pinball]), a capability ([RowWeigher]) and an adapter ([Points]). Each but
// the last three has a test that runs the suite of its contract, and the example puts them together. The module's path is not
// below kernelearn's, so that it cannot import what is internal there.
package extend
