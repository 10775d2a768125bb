package estimatortest

import (
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/streams"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// Check describes one check of the suite.
type Check struct {
	Name string // name of the subtest, also used in Options.Skip
	Doc  string // the property that the check verifies
	On   string // the kinds of types to which it applies
}

// Checks returns the checks in the order in which they run.
func Checks() []Check {
	out := make([]Check, len(checks))
	for i, c := range checks {
		out[i] = Check{Name: c.name, Doc: c.doc, On: c.kinds.String()}
	}
	return out
}

type check struct {
	name  string
	kinds subject.Kind
	doc   string
	run   func(p *subject.Probe, s *subject.Subject)
}

var checks = []check{
	// The next checks fit unusual but valid data.
	{"shapes", subject.Every, "Each method returns a finite row for each row of x, with fewer or more rows than in Fit.", checkShapes},
	{"one-row", subject.Every, "A single row is fitted, or rejected with an error of the contract.", checkOneRow},
	{"one-column", subject.Every, "A single column is fitted.", checkOneColumn},
	{"more-columns-than-rows", subject.Every, "Eight columns and six rows are fitted.", checkWide},
	{"constant-column", subject.Every, "A column of one value, 0 or 7, gives finite results.", checkConstantColumn},
	{"duplicated-rows", subject.Every, "With each row given twice, results are finite.", checkDuplicatedRows},
	{"large-offset-and-scale", subject.Every,
		"Columns with offsets of about a million, and with spreads of a million and of a millionth, give finite results.",
		checkLargeOffsetAndScale},
	{"constant-target", subject.Regressors | subject.Multis, "Equal targets give finite predictions.", checkConstantTarget},
	{"single-class", subject.Classifiers,
		"A single class is rejected with an error of the contract, or predicted for all rows.", checkSingleClass},

	// Invalid input is an error that names the input and the position, and never a panic.
	{"not-finite-x", subject.Every,
		"A NaN or an infinity in x gives ErrNotFinite with its row and column, in Fit and in each method. With Options.Gaps, " +
			"NaN is allowed.", checkNotFiniteX},
	{"not-finite-y", subject.Regressors | subject.Multis,
		"A NaN or an infinity in y gives ErrNotFinite with its row and, for several targets, its column.", checkNotFiniteY},
	{"empty-x", subject.Every, "Fit with a nil or empty matrix, or one without rows or columns, gives ErrShape.", checkEmptyX},
	{"empty-x-at-predict", subject.Every,
		"Each method with a nil or empty matrix, or one without rows or columns, gives ErrShape.", checkEmptyXAtPredict},
	{"length-of-y", subject.Supervised, "A y that is nil, shorter or longer than x gives ErrShape.", checkLengthOfY},
	{"width-at-predict", subject.Every, "Each method with rows wider or narrower than in Fit gives ErrShape.", checkWidthAtPredict},
	{"not-fitted", subject.Every, "Before Fit each method and MarshalBinary give ErrNotFitted, and Classes returns nil.", checkNotFitted},

	// The next checks cover what happens to a fitted value in later calls.
	{"refit-forgets", subject.Every, "A second Fit, with another width, gives the same result as Fit of a new value.", checkRefitForgets},
	{"failed-fit-keeps", subject.Every, "A Fit that fails keeps the earlier model.", checkFailedFitKeeps},
	{"cancelled-fit", subject.Every,
		"Fit with a cancelled context returns the context's error and keeps the earlier model.", checkCancelledFit},
	{"cancelled-midway", subject.Every,
		"If the context is cancelled while Fit reads x, Fit returns before it assigns the new model.", checkCancelledMidway},
	{"cancelled-at-any-check", subject.Every,
		"If the context ends at any check in Fit, including the last one, Fit returns its error and keeps the earlier model.",
		checkCancelledAtAnyCheck},
	{"progress", subject.Every,
		"Observers of a Fit receive shares of the work that increase to 1, from one goroutine at a time, and early if " +
			"Options.Steps is set. The result is bit-identical. An observer that panics gives a PanicError, and the earlier model " +
			"is kept.", checkProgress},
	{"inputs-unmodified", subject.Every, "No method writes to x, y or weights.", checkInputsUnmodified},
	{"any-matrix", subject.Every,
		"A transposed view, a part of a larger matrix, a third-party mat.Matrix and a matrix that lists its nonzero entries " +
			"give the same result as a copy.", checkAnyMatrix},
	{"keeps-no-reference", subject.Every,
		"Overwriting x and y after Fit, or the result of a method, changes no later result.", checkKeepsNoReference},
	{"same-seed", subject.Every, "Two values with the same settings, fitted to the same rows, are bit-identical.", checkSameSeed},
	{"workers", subject.Every, "The results for 1, 2 and 5 workers are bit-identical.", checkWorkers},
	{"goroutine-leaks", subject.Every, "Fit, a cancelled Fit and the methods leave no goroutine behind.", checkGoroutineLeaks},
	{"clone", subject.Every, "Clone of a fitted value has its type and settings, is not fitted, and is independent.", checkClone},

	// The next checks test predictions.
	{"repeatable", subject.Every, "A method called twice with the same rows returns the same bits.", checkRepeatable},
	{"concurrent-predict", subject.Every,
		"Concurrent calls return the same as single calls; with -race, without a race.", checkConcurrentPredict},
	{"row-permutation", subject.Every,
		"Fit to the rows in another order gives the same results within the tolerance.", checkRowPermutation},
	{"batch-equals-rows", subject.Every,
		"Rows that are predicted one by one give the same results as together, within the tolerance.", checkBatchEqualsRows},
	{"learns", subject.Supervised, "New rows of an easy problem are predicted better than by the mean or the majority.", checkLearns},

	// The next checks test persistence.
	{"marshal-round-trip", subject.Every,
		"A new value that reads the bytes returns the same bits in each method, and writes the same bytes.", checkRoundTrip},
	{"marshal-into-fitted", subject.Every,
		"A fitted value that reads the bytes is replaced by their contents, and keeps no reference to them.", checkMarshalIntoFitted},
	{"marshal-truncated", subject.Every, "Truncated bytes give ErrBadModel and leave the model unchanged.", checkTruncated},
	{"marshal-flipped", subject.Every, "A change of one byte gives ErrBadModel and leaves the model unchanged.", checkFlipped},
	{"marshal-garbage", subject.Every, "Arbitrary bytes give ErrBadModel and leave the model unchanged.", checkGarbage},
	{"model-file", subject.Every,
		"A value that package modelfile reads has the settings of the written one and returns the same bits in each method. The " +
			"file contains its type, columns and classes.", checkModelFile},

	// The next checks test classifiers.
	{"labels", subject.Classifiers, "Labels may be any ints: negative, large, in any order. Predictions are among them.", checkLabels},
	{"classes", subject.Classifiers, "Classes returns a copy of the distinct labels in ascending order.", checkClasses},
	{"three-classes", subject.Classifiers, "Three classes are separated.", checkThreeClasses},
	{"probabilities", subject.Classifiers, "Probabilities are n×K, in [0,1], and each row sums to 1, for two and for three classes.",
		checkProbabilities},
	{"probability-order", subject.Classifiers, "The columns of the probabilities are in the order of Classes.", checkProbabilityOrder},
	{"decision", subject.Classifiers, "Decision is n×K, and Predict returns the class of its first largest column.", checkDecision},

	// The next checks test capabilities.
	{"variance", subject.Regressors, "Variances are at least 0, and the means returned with them equal those of Predict.", checkVariance},
	{"interval", subject.Regressors,
		"Intervals contain the prediction, widen with the level and agree with the variance. A level outside (0, 1) gives " +
			"ErrParam.", checkInterval},
	{"target-units", subject.Regressors | subject.Multis,
		"Targets multiplied by a power of two give predictions multiplied by exactly that factor, and variances by its square.",
		checkTargetUnits},
	{"several-targets", subject.Multis,
		"Results have a column for each target, variances are at least 0, and intervals contain the prediction and widen with " +
			"the level. Targets in other units give the same results in these units.", checkSeveralTargets},
	{"sets", subject.Classifiers,
		"PredictSet returns classes in ascending order, and no fewer for a higher level. A level outside (0, 1) gives ErrParam.",
		checkSets},
	{"novelty", subject.Detectors,
		"Rows far from all others are novel, and most rows like those of Fit are not. The scores of novel rows do not exceed " +
			"those of other rows. P-values are in (0, 1] and, for distant rows, in the order of the scores.", checkNovelty},
	{"to-forms", subject.Every,
		"PredictTo, DecisionTo, PredictProbaTo and TransformTo return the results of Predict, Decision, PredictProba and " +
			"Transform within the tolerance, for few rows and for many.", checkToForms},
	{"inverse", subject.Transforms,
		"InverseTransform maps the transformed rows of Fit back to these rows, also with a column of one value, and keeps the " +
			"rules of Transform.", checkInverse},
	{"partial-fit", subject.Every,
		"PartialFit before Fit is Fit, or FitStatistics if the type has it. Further rows then change the model, and errors do " +
			"not.", streams.CheckPartialFit},
	{"stop-and-go", subject.Every,
		"A model that is stored with its statistics between two calls of PartialFit and read into a new value continues bit- " +
			"identically, also from a file of package modelfile. Other bytes give ErrBadModel and change nothing.", streams.CheckStopAndGo},
	{"statistics", subject.Every,
		"The rows in 1, 4 and 64 parts, in any order and with any offset, give the same result to 1e-10. An error leaves " +
			"statistics and model unchanged.", streams.CheckStatistics},
	{"statistics-and-fit", subject.Every,
		"FitStatistics gives the result of Fit within the tolerance; for regressors the predictions are compared.",
		streams.CheckStatisticsFit},
	{"fit-blocks", subject.Every,
		"FitBlocks gives the result of Fit or FitWeighted within the tolerance, for blocks of any size in reused memory. An " +
			"error names the row of the stream and keeps the earlier model.", streams.CheckFitBlocks},
	{"leave-one-out", subject.Regressors | subject.Multis,
		"LeaveOneOutResiduals are exactly those of fits without the row.", checkLeaveOneOut},
	{"smoother", subject.Supervised,
		"A Smoother predicts each row that is left out as the Smoother of the other rows does.", checkSmoother},
	{"expansion", subject.Regressors | subject.Classifiers,
		"The sum of the kernel values of an Expansion equals the result of Predict, or of Decision.", checkExpansion},
	{"kernel-matrix", subject.Supervised,
		"FitMatrix and PredictMatrix with the matrices of the kernel that Fit used give the results of Fit and Predict.",
		checkKernelMatrix},
	{"weighted-fit", subject.Supervised,
		"A weight of 2 is equivalent to the row given twice, and weights of 1 to none, within the tolerance.", checkWeightedFit},
	{"repeated-rows", subject.Supervised,
		"With each row given twice, the result is that of each row given once, within the tolerance: a copy must not help to " +
			"predict a row that is left out.", checkRepeatedRows},
	{"bad-weights", subject.Supervised,
		"Weights that are too few, zero, negative or not finite give errors and keep the earlier model.", checkBadWeights},
	{"report", subject.Supervised, "Report contains valid numbers, and its Warnings are a copy.", checkReport},
	{"graph", subject.Every,
		"The operators of Graph compute the results of Predict, PredictProba, PredictVariance and Transform within the " +
			"tolerance. Before Fit and for other widths Graph returns an error.", checkGraph},
	{"column-names", subject.Every,
		"SetColumnNames changes no result. ColumnNames returns the names of Fit, also after reading the bytes. Another number " +
			"of names than columns gives ErrParam and keeps the earlier model.", checkColumnNames},
	{"capabilities", subject.Every,
		"A method that Supports denies returns errors.ErrUnsupported, and one that it reports does not. A type with " +
			"MarshalBinary has UnmarshalBinary.", checkCapabilities},
}
