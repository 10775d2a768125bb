// Package hotpaths times the code in which programs that use this module spend their time, beside a reference routine in the same
// run, and keeps a baseline of the ratios and of the memory. It has tests alone:
//
//	.ci/bench            # compares the tree with the baseline, by benchstat
//	.ci/bench -update    # writes the baseline
//
// A ratio is the median time of the path over that of its reference, so it is nearly the same on machines of one kind, whatever else
// they do. The references are gonum's routines and plain loops, which a change of this module does not touch.
package hotpaths
