// Distributed fits a scaler and a regression to files with Beam, on its embedded runner or on Flink.
//
//	go run ./examples/distributed                                    # files that it creates, the embedded runner
//	flink/run go run ./examples/distributed -flink                   # on two task managers that the script starts
//	go run ./examples/distributed -rows 10000000 -shards 64 -plain   # in comparison with the plain loop
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	kernelbeam "github.com/kernelearn/kernelearn/adapters/beam"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var (
	rows     = flag.Int("rows", 200_000, "rows in created files")
	width    = flag.Int("columns", 20, "columns in created files")
	shards   = flag.Int("shards", 8, "number of files")
	format   = flag.String("format", "csv", "csv or parquet")
	dir      = flag.String("data", "", "directory of the files, which are created if missing; default: a temporary one")
	features = flag.Int("features", 0, "random Fourier features between the scaler and the regression; 0: none")
	onFlink  = flag.Bool("flink", false, "run on the job server with the address in BEAM_FLINK")
	workers  = flag.Int("flink-parallelism", 4, "parallelism on Flink")
	plain    = flag.Bool("plain", true, "also fit without an engine, and compare")
	rangeMB  = flag.Int("range", 32, "megabytes of a range of a file")
)

// The workers also run this program, and create the models from these names. They do not receive its flags, so these settings must
// be the same in each process.
var linear = kernelbeam.Register("linear", func() *pipeline.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.Regressor{}}
})

var byWidth = map[int]*kernelbeam.Model[float64, *pipeline.Regressor]{0: linear}

func init() {
	for _, m := range []int{100, 300, 500, 1000} {
		byWidth[m] = kernelbeam.Register(fmt.Sprintf("%d features", m), func() *pipeline.Regressor {
			return &pipeline.Regressor{
				Steps: []transformers.Transformer{&scalers.StandardScaler{},
					&featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: .02}, Components: m}},
				Final: &ridge.Regressor{},
			}
		})
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("distributed: ")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(),
			"distributed fits a pipeline to the rows of many files with Apache Beam, and compares the fit without an engine.\n\nFlags:")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := checkFlags(); err != nil {
		log.Fatal(err)
	}
	if *onFlink {
		for name, value := range map[string]string{"runner": "flink", "endpoint": os.Getenv("BEAM_FLINK"), "environment_type": "LOOPBACK",
			"parallelism": fmt.Sprint(*workers)} {
			if err := flag.Set(name, value); err != nil {
				log.Fatal(err)
			}
		}
	}
	kernelbeam.Init()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// checkFlags checks the flags that do not belong to Beam, as package cli does for other programs.
func checkFlags() error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q (-h lists the flags)", flag.Arg(0))
	}
	for name, number := range map[string]int{"rows": *rows, "columns": *width, "shards": *shards, "flink-parallelism": *workers,
		"range": *rangeMB} {
		if number < 1 {
			return fmt.Errorf("-%s %d: want 1 or more", name, number)
		}
	}
	if _, ok := byWidth[*features]; !ok {
		return fmt.Errorf("-features %d: want 0, 100, 300, 500 or 1000", *features)
	}
	if *format != "csv" && *format != "parquet" {
		return fmt.Errorf("-format %s: want csv or parquet", *format)
	}
	if *dir != "" {
		if err := os.MkdirAll(*dir, 0o755); err != nil {
			return fmt.Errorf("-data: %w", err)
		}
	}
	return nil
}

func run(ctx context.Context) error {
	model := byWidth[*features]
	where := *dir
	if where == "" {
		temp, err := os.MkdirTemp("", "distributed-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		where = temp
	}
	pattern := filepath.Join(where, "rows-*."+*format)
	if some, _ := filepath.Glob(pattern); len(some) == 0 {
		if err := makeFiles(ctx, where); err != nil {
			return err
		}
	}
	data := &kernelbeam.Data{Files: []string{pattern}, Options: table.Options{Target: "y"}}
	options := &kernelbeam.Options{RangeBytes: int64(*rangeMB) << 20, Observe: func(s estimators.Step) { fmt.Println(s.Message) }}
	engine := "embedded runner"
	if *onFlink {
		engine = "Flink"
	}
	fitted, seconds, err := timed(ctx, engine, model, data, options)
	if err != nil || !*plain {
		return err
	}
	options.NoEngine = true
	other, alone, err := timed(ctx, "no engine", model, data, options)
	if err != nil {
		return err
	}
	a, b := coefficients(fitted), coefficients(other)
	fmt.Printf("coefficients differ by %.1e relative; the engine takes %.2f times as long\n",
		floats.Distance(a, b, math.Inf(1))/floats.Norm(b, math.Inf(1)), seconds/alone)
	return nil
}

// timed fits a model and prints the time of the fit.
func timed(ctx context.Context, name string, m *kernelbeam.Model[float64, *pipeline.Regressor], d *kernelbeam.Data,
	o *kernelbeam.Options) (*pipeline.Regressor, float64, error) {
	begin := time.Now()
	fitted, report, err := m.Fit(ctx, d, o)
	if err != nil {
		return nil, 0, err
	}
	seconds := time.Since(begin).Seconds()
	fmt.Printf("%s: %d rows, %d passes, %.1f s, %.0f rows a second and pass, %s\n", name, report.Rows, report.Passes, seconds,
		float64(report.Rows*report.Passes)/seconds, peak())
	return fitted, seconds, nil
}

func coefficients(p *pipeline.Regressor) []float64 {
	return p.FittedFinal().(*ridge.Regressor).Coefficients()
}

// peak returns the peak memory of the process, on systems that report it.
func peak() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "memory unknown"
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var v int
			if _, err := fmt.Sscan(kb, &v); err == nil {
				return fmt.Sprintf("peak memory %d MB", v>>10)
			}
		}
	}
	return "memory unknown"
}
