// Package kernelbeam fits estimators from rows that lie in many files, or come as a PCollection, by [Apache Beam]: on
// its embedded runner, on Flink, or on whatever else Beam's Go SDK submits jobs to.
//
//	Register, Model                a configured estimator, by a name that all workers know
//	Data, Format, Row              the files of rows, and the purpose of their columns by the options of package adapters/table
//	Model.Fit, FitAll              one pass for each stage; several candidates in the same passes
//	CrossValidate, Score           by statistics that are held out
//	Sample                         rows drawn by the engine, for the entropy of a kernel
//	Model.PredictFiles             files in, files out
//	Model.PredictRows, Prediction  a PCollection in, a PCollection out, the model a side input
//	Options, Report, DataError     bad rows, ranges, temporary files; what was read; what is wrong with it
//
// # A program
//
// Workers run the program again, from the beginning of main. So the estimator is registered in a package variable, and Init comes
// first in main:
//
//	var model = kernelbeam.Register("rates", func() *pipeline.Regressor {
//		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{}}
//	})
//
//	func main() {
//		kernelbeam.Init()
//		data := &kernelbeam.Data{Files: []string{"rows/*.parquet"}, Options: table.Options{Target: "rate"}}
//		fitted, report, err := model.Fit(context.Background(), data, nil)
//		...
//	}
//
// # Engines
//
// A program imports the runners that it may use, and Beam's flag -runner chooses one of them by its name:
//
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // the embedded runner, for a program without flags
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink" // -runner=flink -endpoint=host:port
//
// Each runner brings hundreds of packages, so this package imports none. Without the flag the runner is prism. A runner that the
// program has not imported is ErrParam. With Options.NoEngine no runner is needed.
//
// Paths without a scheme are of the local file system. For others the program imports Beam's file system, such as
// .../beam/io/filesystem/gcs for gs://.
//
// # How rows are read
//
// Files are divided into ranges of bytes, and engines divide them again while they are read. A CSV row belongs to the range that it
// begins in, and so does a row group of Parquet. A splittable DoFn sums up the rows of its ranges with the
// statistics of the stage (streaming.Statistics) and emits the sums at the end of a bundle, no rows; one Combine merges
// them; a last DoFn writes them to Options.Temp, whence the driver reads them, learns the stage, and starts the next pass. What
// a stage has learnt goes out through the same directory: the job's description stays small, whatever landmarks and
// accumulators weigh.
//
// Merges have no order: models agree to rounding, not to the bit. With Options.NoEngine the files are read in this
// process, and the model is the same to the bit on any number of processors.
//
// # Errors
//
// A row that cannot be read is left out, counted and written to Options.DeadLetters, up to Options.MaxBad. All else
// ends the fit with an error that names file and row: a column that is missing in one file, a damaged file, a row that the
// estimator refuses. It travels with the sums, so that no engine tries again what fails again. A pass whose rows are not
// those of the first is ErrParam. Parquet has no checksums of its numbers unless its writer made some: a changed number is
// read as it is.
//
// Beam's counters rows, bad_rows and ranges, of the namespace kernelearn, say how far a pass is; rows that an engine reads again
// count again.
//
// [Apache Beam]: https://beam.apache.org
package kernelbeam
