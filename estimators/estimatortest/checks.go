package estimatortest

import (
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/streams"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// Check describes one check of the suite.
type Check struct {
	Name string // of the subtest, and in Options.Skip
	Doc  string // the property that holds if it passes
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
	// The next checks are of fits to unusual but valid data.
	{"shapes", subject.Every, "Each method gives a finite row for each row of x, be they fewer or more than Fit's.", checkShapes},
	{"one-row", subject.Every, "A single row is fitted, or refused with an error of the contract.", checkOneRow},
	{"one-column", subject.Every, "A single column is fitted.", checkOneColumn},
	{"more-columns-than-rows", subject.Every, "Eight columns and six rows are fitted.", checkWide},
	{"constant-column", subject.Every, "A column of one value, be it 0 or 7, gives finite results.", checkConstantColumn},
	{"duplicated-rows", subject.Every, "Rows that are all given twice give finite results.", checkDuplicatedRows},
	{"large-offset-and-scale", subject.Every, "Columns around a million, of a million's and of a millionth's spread give finite results.",
		checkLargeOffsetAndScale},
	{"constant-target", subject.Regressors | subject.Multis, "Targets that are all the same give finite predictions.", checkConstantTarget},
	{"single-class", subject.Classifiers, "A single class is refused with an error of the contract, or predicted everywhere.",
		checkSingleClass},

	// Invalid input is an error that names the input and the position, and never a panic.
	{"not-finite-x", subject.Every,
		"A NaN or an infinity in x is ErrNotFinite with its row and column, in Fit and in each method; with Options.Gaps a NaN is none.",
		checkNotFiniteX},
	{"not-finite-y", subject.Regressors | subject.Multis,
		"A NaN or an infinity in y is ErrNotFinite with its row, and of several targets its column.",
		checkNotFiniteY},
	{"empty-x", subject.Every, "Fit on a nil, an empty, a rowless or a columnless matrix is ErrShape.", checkEmptyX},
	{"empty-x-at-predict", subject.Every, "Each method on a nil, an empty, a rowless or a columnless matrix is ErrShape.",
		checkEmptyXAtPredict},
	{"length-of-y", subject.Supervised, "A y that is nil, shorter or longer than x is ErrShape.", checkLengthOfY},
	{"width-at-predict", subject.Every, "Each method on rows wider or narrower than Fit's is ErrShape.", checkWidthAtPredict},
	{"not-fitted", subject.Every, "Before Fit each method and MarshalBinary are ErrNotFitted, and Classes is nil.", checkNotFitted},

	// The next checks are of the life of a fitted value.
	{"refit-forgets", subject.Every, "A second Fit, of another width, gives what it gives on a new value.", checkRefitForgets},
	{"failed-fit-keeps", subject.Every, "A Fit that fails leaves the model fitted before.", checkFailedFitKeeps},
	{"cancelled-fit", subject.Every, "Fit with a cancelled context is the context's error and leaves the model fitted before.",
		checkCancelledFit},
	{"cancelled-midway", subject.Every, "A context cancelled while Fit reads x is noticed before the new model is assigned.",
		checkCancelledMidway},
	{"cancelled-at-any-look", subject.Every,
		"A context that has ended at any of the times at which Fit looks at it, the last one too, is Fit's error and leaves the model " +
			"fitted " +
			"before.", checkCancelledAtAnyLook},
	{"progress", subject.Every,
		"Who listens to a Fit by estimators.Observed hears of shares done that rise to 1, of one goroutine at a time, " +
			"early where Options.Steps says so; the result is the same to the bit; and an observer that panics is a PanicError and " +
			"leaves " +
			"the " +
			"model fitted before.", checkProgress},
	{"inputs-unmodified", subject.Every, "No method writes to x, y or weights.", checkInputsUnmodified},
	{"any-matrix", subject.Every,
		"A transposed view, a part of a larger matrix, a foreign mat.Matrix and one that lists its nonzero entries give what a copy gives.",
		checkAnyMatrix},
	{"keeps-no-reference", subject.Every, "Overwriting x and y after Fit, or what a method returned, changes no later result.",
		checkKeepsNoReference},
	{"same-seed", subject.Every, "Two equally configured values, fitted on the same rows, agree to the last bit.", checkSameSeed},
	{"workers", subject.Every, "The results for 1, 2 and 5 workers agree to the last bit.", checkWorkers},
	{"goroutine-leaks", subject.Every, "Fit, a cancelled Fit and the methods leave no goroutine behind.", checkGoroutineLeaks},
	{"clone", subject.Every, "Clone of a fitted value is of its type, unfitted, equally configured and independent.", checkClone},

	// The next checks are of predictions.
	{"repeatable", subject.Every, "A method called twice on the same rows gives the same bits.", checkRepeatable},
	{"concurrent-predict", subject.Every, "Concurrent calls give what single calls give; with -race, without a race.",
		checkConcurrentPredict},
	{"row-permutation", subject.Every, "Fit on the rows in another order gives the same results, to within the tolerance.",
		checkRowPermutation},
	{"batch-equals-rows", subject.Every, "Rows one by one give what they give together, to within the tolerance.", checkBatchEqualsRows},
	{"learns", subject.Supervised, "New rows of an easy problem are predicted better than by the mean or the majority.", checkLearns},

	// The next checks are of persistence.
	{"marshal-round-trip", subject.Every, "A new value that reads the bytes gives the same bits in each method, and writes the same bytes.",
		checkRoundTrip},
	{"marshal-into-fitted", subject.Every, "A fitted value that reads the bytes gives what they hold, and keeps no reference to them.",
		checkMarshalIntoFitted},
	{"marshal-truncated", subject.Every, "Bytes cut short are ErrBadModel and leave the model as it was.", checkTruncated},
	{"marshal-flipped", subject.Every, "Bytes with one of them changed are ErrBadModel and leave the model as it was.", checkFlipped},
	{"marshal-garbage", subject.Every, "Bytes that never were a model are ErrBadModel and leave the model as it was.", checkGarbage},
	{"model-file", subject.Every,
		"What package modelfile reads, without a value, has the settings of what was written and gives the same bits in each method; " +
			"and the " +
			"file says its type, columns and classes.", checkModelFile},

	// The next checks are of classifiers.
	{"labels", subject.Classifiers, "Labels are any ints: negative, large, in any order; predictions are among them and follow them.",
		checkLabels},
	{"classes", subject.Classifiers, "Classes is the distinct labels, ascending, and a copy.", checkClasses},
	{"three-classes", subject.Classifiers, "Three classes are told apart.", checkThreeClasses},
	{"probabilities", subject.Classifiers, "Probabilities are n×K, in [0,1], and each row sums to 1, for two and for three classes.",
		checkProbabilities},
	{"probability-order", subject.Classifiers, "The columns of the probabilities are in the order of Classes.", checkProbabilityOrder},
	{"decision", subject.Classifiers, "Decision is n×K, and its first largest column is the class that Predict gives.", checkDecision},

	// The next checks are of capabilities.
	{"variance", subject.Regressors, "Variances are at least 0, and the means with them are Predict's.", checkVariance},
	{"interval", subject.Regressors,
		"Intervals hold the prediction, widen with the level, fit the variance, and a level outside (0, 1) is ErrParam.",
		checkInterval},
	{"target-units", subject.Regressors | subject.Multis,
		"Targets times a power of two give exactly that times the predictions, and its square times the variances: no unit is special.",
		checkTargetUnits},
	{"several-targets", subject.Multis,
		"Results have a column for each target, variances are at least 0, intervals hold the prediction and widen with the level, and " +
			"targets " +
			"in other units give the same in those.", checkSeveralTargets},
	{"sets", subject.Classifiers,
		"PredictSet gives classes, ascending, and no fewer for a higher level; a level outside (0, 1) is ErrParam.",
		checkSets},
	{"novelty", subject.Detectors,
		"Rows far from all are novel, most rows like those of Fit are not, and a row that Predict takes for novel has no larger a score " +
			"than " +
			"one that it does not; p-values are in (0, 1] and in the order of the scores of rows far apart.", checkNovelty},
	{"to-forms", subject.Every,
		"PredictTo, DecisionTo, PredictProbaTo and TransformTo give what Predict, Decision, PredictProba and Transform " +
			"give, of few rows and of many, to within the tolerance.", checkToForms},
	{"inverse", subject.Transforms,
		"InverseTransform takes what Transform gives for the rows of Fit back to them, a column of one value too, and keeps the rules of " +
			"Transform.", checkInverse},
	{"partial-fit", subject.Every,
		"PartialFit before Fit is Fit, or FitStatistics where there is one; after it, other rows change the model, and what fails does " +
			"not.",
		streams.CheckPartialFit},
	{"stop-and-go", subject.Every,
		"A model that is stored with its statistics between two calls of PartialFit, and read into a new value, goes on as one that was " +
			"not, " +
			"to the bit, from package modelfile's file too; of other bytes it is ErrBadModel, and goes on as before.",
		streams.CheckStopAndGo},
	{"statistics", subject.Every,
		"The rows in 1, 4 and 64 parts, in any order and of any offset, give what they give in one, to 1e-10; what fails leaves " +
			"statistics " +
			"and model as they were.", streams.CheckStatistics},
	{"statistics-and-fit", subject.Every, "FitStatistics gives what Fit gives, of regressors the predictions, to within the tolerance.",
		streams.CheckStatisticsFit},
	{"fit-blocks", subject.Every,
		"FitBlocks, on blocks of any size in memory that is used again, gives what Fit or FitWeighted gives, to within the tolerance; " +
			"what " +
			"fails names the row of the stream, and leaves the model fitted before.", streams.CheckFitBlocks},
	{"leave-one-out", subject.Regressors | subject.Multis, "LeaveOneOutResiduals are what fits without the row leave, exactly.",
		checkLeaveOneOut},
	{"smoother", subject.Supervised, "A Smoother says of each row left out what the Smoother of the other rows says.", checkSmoother},
	{"expansion", subject.Regressors | subject.Classifiers,
		"The sum of the kernel values of an Expansion is what Predict, or Decision, returns.", checkExpansion},
	{"kernel-matrix", subject.Supervised,
		"FitMatrix and PredictMatrix on the matrices of the kernel that Fit used give what Fit and Predict give.",
		checkKernelMatrix},
	{"weighted-fit", subject.Supervised, "A weight of 2 counts as the row given twice, and weights of 1 as none, to within the tolerance.",
		checkWeightedFit},
	{"repeated-rows", subject.Supervised,
		"Rows that are all given twice are the rows given once, to within the tolerance: of a row that is left out, or is in another " +
			"part, " +
			"the copy tells nothing.", checkRepeatedRows},
	{"bad-weights", subject.Supervised,
		"Weights that are too few, zero, negative or not finite are errors and leave the model fitted before.",
		checkBadWeights},
	{"report", subject.Supervised, "Report holds sensible numbers, and its Warnings are a copy.", checkReport},
	{"graph", subject.Every,
		"What Graph writes gives, operator by operator, what Predict, PredictProba, PredictVariance and Transform give, to " +
			"within the tolerance; before Fit and of other widths it is an error.", checkGraph},
	{"column-names", subject.Every,
		"SetColumnNames changes no result; ColumnNames are those of Fit and of the bytes that are read; another number of names than " +
			"columns is ErrParam and leaves the model fitted before.", checkColumnNames},
	{"capabilities", subject.Every,
		"What Supports denies is errors.ErrUnsupported, what it grants is not; marshalling comes with unmarshalling.",
		checkCapabilities},
}
