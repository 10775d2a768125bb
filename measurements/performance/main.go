// Performance compares the times of the library with those of its peers, scikit-learn and kernlab, on the same rows and in the same
// run. It uses gonum's BLAS, adapters/simdblas and OpenBLAS:
//
//	export CGO_LDFLAGS="-lopenblas -llapacke"
//	go run -C measurements ./performance -python python3 -rscript Rscript
//	go run -C measurements ./performance -python python3 -only kernel,ridge -rounds 5
//	go run -C measurements ./performance -draw ../docs/measured/results/performance.json
//	go run -C measurements ./performance -python python3 -searches
//	go run -C measurements ./performance -python python3 -searches -only sine5000 -seeds 1
//
// OpenBLAS requires cgo. In a round, the work is done once with each BLAS and once by the peer, so that other load on the machine
// affects all of them. The smallest time of the rounds is used. A ratio is our time divided by the peer's, so smaller is better.
//
// The searches run on simdblas: ours by entropy, and scikit-learn's GridSearchCV and HalvingGridSearchCV. They run for some seeds,
// each on the same rows, which are standardised before the clock starts. Their seconds include the search, the fit and the
// prediction of the test rows. Their errors are measured on the test rows.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	blasnetlib "gonum.org/v1/netlib/blas/netlib"
	lapacknetlib "gonum.org/v1/netlib/lapack/netlib"

	"github.com/kernelearn/kernelearn/adapters/simdblas"
	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() { cli.Main("performance", run) }

// contender is a BLAS and a LAPACK that do the work.
type contender struct {
	name string
	use  func()
}

var contenders = []contender{
	{"gonum", func() { blas64.Use(gonum.Implementation{}); lapack64.Use(lapackgonum.Implementation{}) }},
	{"simdblas", func() { blas64.Use(simdblas.Implementation{}); lapack64.Use(lapackgonum.Implementation{}) }},
	{"openblas", func() { blas64.Use(blasnetlib.Implementation{}); lapack64.Use(lapacknetlib.Implementation{}) }},
}

// options holds the flags.
type options struct {
	peers    peers
	only     []string // names, nil for all
	blases   string
	rounds   int
	scale    float64
	profile  string
	searches bool
	seeds    int
	limit    time.Duration
	results  string
	json     string
	draw     string
	progress io.Writer
}

func optionsOf(args []string, help, progress io.Writer) (options, error) {
	flags := cli.NewFlags("performance",
		"performance times the library beside scikit-learn and kernlab, on the same rows and in the same run.", help)
	o := options{progress: progress}
	flags.StringVar(&o.peers.python, "python", "", "`program` that runs Python with scikit-learn; empty: without")
	flags.StringVar(&o.peers.rscript, "rscript", "", "`program` that runs R with kernlab; empty: without")
	flags.StringVar(&o.peers.scripts, "scripts", filepath.Join("..", "benchmark", "peers"), "`folder` of what they run")
	only := flags.String("only", "", "comma separated `items`, or searches; empty: all")
	flags.StringVar(&o.blases, "blas", "gonum,simdblas,openblas", "comma separated `names`, of the items")
	flags.IntVar(&o.rounds, "rounds", 0, "`times` each is run; 0: 3, and once a search of more than 1000 rows")
	flags.Float64Var(&o.scale, "scale", 1, "`factor` of the numbers of rows")
	flags.StringVar(&o.profile, "cpuprofile", "", "`file` for a profile of our side")
	flags.BoolVar(&o.searches, "searches", false, "the searches for kernels, on simdblas, in place of the items")
	flags.IntVar(&o.seeds, "seeds", 5, "`draws` of the rows that a search is run on")
	flags.DurationVar(&o.limit, "peer-limit", 0, "`time` after which a peer's search is ended and left out of the means; 0: none")
	flags.StringVar(&o.results, "results", "", "CSV `file` that keeps what a search measured for each seed; what is there is not run again")
	flags.StringVar(&o.json, "json", "", "JSON `file` that keeps what the items measured")
	flags.StringVar(&o.draw, "draw", "", "JSON `file` of an earlier run, whose table is printed; nothing is run")
	flags.IntVar(&o.peers.jobs, "jobs", 1, "`processes` of a peer's search (n_jobs), which share the processors")
	flags.AtLeast(0, "rounds")
	flags.AtLeast(1, "seeds", "jobs")
	flags.Runs("python", "scripts")
	flags.Runs("rscript", "scripts")
	flags.Reads("draw")
	flags.Writes("cpuprofile", "results", "json")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.limit < 0 || !(o.scale > 0) {
		return o, errors.New("want -scale > 0, and no -peer-limit < 0")
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := optionsOf(args, out, progress)
	if err != nil {
		return err
	}
	if o.draw != "" {
		r, err := readReport(o.draw)
		if err != nil {
			return err
		}
		return r.draw(out)
	}
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if o.searches {
		return runSearches(ctx, o, out)
	}
	return runItems(ctx, o, out)
}

// chosen returns the elements of all that the flag -only selects.
func chosen[T any](o options, all []T, name func(T) string) ([]T, error) {
	if o.only == nil {
		return all, nil
	}
	for _, wanted := range o.only {
		if !slices.ContainsFunc(all, func(v T) bool { return name(v) == wanted }) {
			return nil, fmt.Errorf("-only %s: there is no such line, with -searches or without", wanted)
		}
	}
	return slices.DeleteFunc(all, func(v T) bool { return !slices.Contains(o.only, name(v)) }), nil
}

func runItems(ctx context.Context, o options, out io.Writer) error {
	all, err := chosen(o, items(), func(it item) string { return it.name })
	if err != nil {
		return err
	}
	blases := slices.DeleteFunc(slices.Clone(contenders),
		func(c contender) bool { return !slices.Contains(strings.Split(o.blases, ","), c.name) })
	if len(blases) == 0 {
		return fmt.Errorf("-blas %s: there is no such BLAS", o.blases)
	}
	r := report{Processors: runtime.GOMAXPROCS(0), Rounds: cmp.Or(o.rounds, defaultRounds)}
	for _, c := range blases {
		r.BLAS = append(r.BLAS, c.name)
	}
	fmt.Fprintf(out, "%d processors, the least of %d rounds; seconds, and ours over the peer's\n\n", r.Processors, r.Rounds)
	for _, it := range all {
		fmt.Fprintln(o.progress, it.name)
		line, err := it.time(ctx, blases, o.peers, r.Rounds, o.scale)
		if err != nil {
			return fmt.Errorf("%s: %w", it.name, err)
		}
		r.Items = append(r.Items, line)
		if o.json != "" {
			if err := r.save(o.json); err != nil {
				return err
			}
		}
	}
	return r.draw(out)
}

const defaultRounds = 3

// timed does the work once. It returns the seconds and the measure of the outcome.
func (w work) timed(ctx context.Context) (seconds, measure float64, err error) {
	runtime.GC()
	begin := time.Now()
	measure, err = w(ctx)
	return time.Since(begin).Seconds(), measure, err
}

// time runs the rounds of an item and returns its smallest times.
func (it item) time(ctx context.Context, chosen []contender, p peers, rounds int, scale float64) (itemLine, error) {
	dir, err := os.MkdirTemp("", "performance")
	if err != nil {
		return itemLine{}, err
	}
	defer os.RemoveAll(dir)
	work, err := it.prepare(folder(dir), scale)
	if err != nil {
		return itemLine{}, err
	}
	peer, err := p.start(ctx, it.peer, it.script, dir)
	if err != nil {
		return itemLine{}, err
	}
	defer peer.stop()
	r := itemLine{Name: it.name, Peer: it.peer, Seconds: make([]float64, len(chosen)), Goals: it.wanted}
	for round := range rounds {
		for i, c := range chosen {
			c.use()
			seconds, measure, err := work.timed(ctx)
			if err != nil {
				return r, err
			}
			r.Measure = measure
			if round == 0 || seconds < r.Seconds[i] {
				r.Seconds[i] = seconds
			}
		}
		seconds, measure, err := peer.round(ctx)
		if err != nil {
			return r, err
		}
		if !math.IsNaN(seconds) && (r.PeerSeconds == nil || seconds < *r.PeerSeconds) { // NaN means that there is no peer.
			r.PeerSeconds, r.PeerMeasure = &seconds, &measure
		}
	}
	return r, nil
}
