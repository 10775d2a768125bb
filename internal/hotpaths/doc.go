// Package hotpaths times the hot code of programs that use this module, each path relative to a reference routine in the same run.
// It keeps a baseline of the ratios and of the memory. It contains tests only:
//
//	.ci/bench            # compares the tree with the baseline, with benchstat
//	.ci/bench -update    # writes the baseline
//
// A ratio is the median time of the path divided by that of its reference. It is nearly the same on all machines of one kind, even
// busy ones. The references are gonum's routines and plain loops, which no change of this module affects.
package hotpaths
