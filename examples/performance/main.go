// Performance times the library beside its peers, scikit-learn and kernlab, on the same
// rows and in the same run, with gonum's BLAS, with adapters/simdblas and with OpenBLAS:
//
//	cd examples/performance
//	export CGO_LDFLAGS="-lopenblas -llapacke"
//	go run . -python python3 -rscript Rscript
//	go run . -python python3 -only kernel,ridge -rounds 5
//
// It is a module of its own, because OpenBLAS takes cgo. A round does the work once with
// each BLAS and once by the peer, so that other load on the machine meets all of them;
// the least time of the rounds counts. A ratio is ours over the peer's: less is better.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	blasnetlib "gonum.org/v1/netlib/blas/netlib"
	lapacknetlib "gonum.org/v1/netlib/lapack/netlib"

	"github.com/kernelearn/kernelearn/adapters/simdblas"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

// contender is a BLAS and a LAPACK to run on.
type contender struct {
	name string
	use  func()
}

var contenders = []contender{
	{"gonum", func() { blas64.Use(gonum.Implementation{}); lapack64.Use(lapackgonum.Implementation{}) }},
	{"simdblas", func() { blas64.Use(simdblas.Implementation{}); lapack64.Use(lapackgonum.Implementation{}) }},
	{"openblas", func() { blas64.Use(blasnetlib.Implementation{}); lapack64.Use(lapacknetlib.Implementation{}) }},
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("performance", flag.ContinueOnError)
	flags.SetOutput(progress)
	python := flags.String("python", "", "`program` that runs Python with scikit-learn; empty: without")
	rscript := flags.String("rscript", "", "`program` that runs R with kernlab; empty: without")
	scripts := flags.String("scripts", filepath.Join("..", "benchmark", "peers"), "`folder` of what they run")
	only := flags.String("only", "", "comma separated `items`; empty: all")
	blases := flags.String("blas", "gonum,simdblas,openblas", "comma separated `names`")
	rounds := flags.Int("rounds", 3, "`times` each is run")
	scale := flags.Float64("scale", 1, "`factor` of the numbers of rows")
	profile := flags.String("cpuprofile", "", "`file` for a profile of our side")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all := items()
	if *only != "" {
		wanted := strings.Split(*only, ",")
		for _, name := range wanted {
			if !slices.ContainsFunc(all, func(i item) bool { return i.name == name }) {
				return fmt.Errorf("-only %s: there is no such item", name)
			}
		}
		all = slices.DeleteFunc(all, func(i item) bool { return !slices.Contains(wanted, i.name) })
	}
	chosen := slices.DeleteFunc(slices.Clone(contenders), func(c contender) bool { return !slices.Contains(strings.Split(*blases, ","), c.name) })
	if len(chosen) == 0 || *rounds < 1 || !(*scale > 0) {
		return errors.New("want a BLAS, a round and a scale > 0 at least")
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Fprintf(out, "GOMAXPROCS %d, the least of %d rounds; seconds, and ours over the peer's\n\n", runtime.GOMAXPROCS(0), *rounds)
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "item\tpeer\tpeer's\t")
	for _, c := range chosen {
		fmt.Fprintf(table, "%s\tratio\t", c.name)
	}
	fmt.Fprintln(table, "wanted simdblas / OpenBLAS\tmeasure: ours\tpeer's\t")
	for _, it := range all {
		r, err := it.time(ctx, chosen, peers{*python, *rscript, *scripts}, *rounds, *scale)
		if err != nil {
			return fmt.Errorf("%s: %w", it.name, err)
		}
		line := r.line(it)
		fmt.Fprintln(table, line)
		fmt.Fprintln(progress, strings.ReplaceAll(line, "\t", "  "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// result is the least times, NaN for a peer that is not there, and measures of quality.
type result struct {
	ours                      []float64
	peer, measure, theMeasure float64
}

func (r result) line(it item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%s\t%.4g\t", it.name, it.peer, r.peer)
	for _, s := range r.ours {
		fmt.Fprintf(&b, "%.4g\t%.3f\t", s, s/r.peer)
	}
	fmt.Fprintf(&b, "%v / %v\t%.4g\t%.4g\t", it.wanted[0], it.wanted[1], r.measure, r.theMeasure)
	return b.String()
}

// time does an item's rounds.
func (it item) time(ctx context.Context, chosen []contender, p peers, rounds int, scale float64) (result, error) {
	dir, err := os.MkdirTemp("", "performance")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	work, err := it.prepare(folder(dir), scale)
	if err != nil {
		return result{}, err
	}
	peer, err := p.start(ctx, it, dir)
	if err != nil {
		return result{}, err
	}
	defer peer.stop()
	r := result{ours: make([]float64, len(chosen)), peer: math.NaN(), theMeasure: math.NaN()}
	for round := range rounds {
		for i, c := range chosen {
			c.use()
			runtime.GC()
			begin := time.Now()
			measure, err := work(ctx)
			seconds := time.Since(begin).Seconds()
			if err != nil {
				return r, err
			}
			r.measure = measure
			if round == 0 || seconds < r.ours[i] {
				r.ours[i] = seconds
			}
		}
		seconds, measure, err := peer.round(ctx)
		if err != nil {
			return r, err
		}
		if !(seconds >= r.peer) { // NaN at first
			r.peer, r.theMeasure = seconds, measure
		}
	}
	return r, nil
}
