// Package kernelbeam fits estimators to rows in many files, or to a PCollection of rows, with [Apache Beam]. The jobs run on Beam's
// embedded runner, on Flink, or on any other engine that Beam's Go SDK supports.
//
//	Register, Model                a configured estimator, under a name that all workers know
//	Data, Format, Row              the files of rows, and the purpose of their columns by the options of package adapters/table
//	Model.Fit, FitAll              one pass for each stage; several candidates in the same passes
//	CrossValidate, Score           scores from statistics of folds that are left out
//	Sample                         rows drawn by the engine, for the entropy of a kernel
//	Model.PredictFiles             predictions from files to files
//	Model.PredictRows, Prediction  predictions from a PCollection to a PCollection, with the model as a side input
//	Options, Report, DataError     bad rows, ranges, temporary files; the rows that were read; errors of the data
//
// # A program
//
// Workers run the same program from the beginning of main. Therefore, register the estimator in a package variable, and call Init
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
// A program imports the runners that it may use, and Beam's flag -runner selects one of them by name:
//
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism" // the embedded runner, for a program without flags
//	import _ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink" // -runner=flink -endpoint=host:port
//
// Each runner depends on hundreds of packages, so this package imports none. Without the flag, prism is used. A runner that the
// program has not imported is an ErrParam error. With Options.NoEngine no runner is needed.
//
// Paths without a scheme belong to the local file system. For other paths the program imports the file system from Beam, such as
// .../beam/io/filesystem/gcs for gs://.
//
// # How rows are read
//
// Files are divided into ranges of bytes, and engines divide these ranges further during the pass. A CSV row belongs to the range
// in which it begins. The same holds for a Parquet row group.
//
// A splittable DoFn adds the rows of its ranges to the statistics of the stage (streaming.Statistics). At the end of a bundle it
// emits these sums, and no rows. One Combine merges the sums, and a last DoFn writes them to Options.Temp. The driver reads them
// there, fits the stage, and starts the next pass. Workers read the fitted stages from the same directory. The job's description
// therefore stays small, whatever the size of landmarks and accumulators.
//
// The order of merges is not fixed, so models of two fits agree up to rounding, but not to the bit. With Options.NoEngine the files
// are read in this process, and the model is the same to the bit on any number of processors.
//
// # Errors
//
// A row that cannot be read is left out, counted and written to Options.DeadLetters, up to Options.MaxBad. All other problems end
// the fit with an error that names the file and the row. Examples are a column that is missing in one file, a damaged file, and a
// row that the estimator rejects. The workers return such an error with the sums, so that no engine repeats work that would fail
// again. If a later pass reads different rows from the first, the error is ErrParam. Parquet files have checksums of their data
// only if the writer stored them. Without checksums a changed number is not detected.
//
// Beam's counters rows, bad_rows and ranges, in the namespace kernelearn, report the progress of a pass. Rows that an engine reads
// again are counted again.
//
// [Apache Beam]: https://beam.apache.org
package kernelbeam
