package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/measurements/internal/cells"
)

// searchers lists the columns of the table of searches: ours, and the suffixes of the peer's scripts. The column of selection's
// zero value follows them.
var searchers = []string{"entropy", "grid", "halving"}

// measured is the number of searchers including the zero value, and nothingSet is the index of the zero value.
const nothingSet, measured = 3, 4

// reached holds the results of a searcher, one for each seed.
type reached struct {
	errors, seconds []float64
	cut             bool // stopped at the limit, so that no result is used
}

func (r *reached) add(measure, seconds float64) {
	r.errors, r.seconds = append(r.errors, measure), append(r.seconds, seconds)
}

// means returns the means over the seeds. They are NaN for a peer that is missing or was stopped.
func (r reached) means() (measure, seconds float64) {
	if r.cut || len(r.errors) == 0 {
		return math.NaN(), math.NaN()
	}
	return stat.Mean(r.errors, nil), stat.Mean(r.seconds, nil)
}

func runSearches(ctx context.Context, o options, out io.Writer) error {
	all, err := chosen(o, searches(), func(s search) string { return s.name })
	if err != nil {
		return err
	}
	earlier, err := readKept(o.results)
	if err != nil {
		return err
	}
	contenders[1].use()
	fmt.Fprintf(out, "GOMAXPROCS %d, simdblas, peers with %d processes, means of %d seeds; NMSE or error rate of the test "+
		"rows\n\n", runtime.GOMAXPROCS(0), o.peers.jobs, o.seeds)
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "search\trows\tours: error\tseconds\tgrid: error\tseconds\thalving: error\tseconds\terror to the best\t±\tless or "+
		"equal\tseconds to the grid's\tto halving's\tgoal\tdefault settings: error\tseconds\terror to the best\t")
	for _, s := range all {
		var r [measured]reached
		for seed := range o.seeds {
			err := s.measureOrTake(ctx, o, uint64(seed+1), earlier, &r)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			fmt.Fprintf(o.progress, "means after seed %d: %s\n", seed+1, strings.ReplaceAll(s.line(o, r), "\t", "  "))
		}
		fmt.Fprintln(table, s.line(o, r))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range all {
		fmt.Fprintf(&text, "%s: %s, %d columns\n", s.name, s.target, searchColumns)
	}
	_, err = io.WriteString(out, text.String())
	return err
}

// measureOrTake adds the results for a seed from an earlier run. If there are none, it measures and saves them.
func (s search) measureOrTake(ctx context.Context, o options, seed uint64, earlier *cells.Cells[searched, found],
	r *[measured]reached) error {
	key := searched{s.name, rows(s.rows, o.scale), seed, o.peers.jobs}
	if v, ok := earlier.At[key]; ok {
		for i := range r {
			r[i].add(v[2*i], v[2*i+1])
		}
		return nil
	}
	if err := s.measure(ctx, o, seed, r); err != nil {
		return err
	}
	if v, ok := lastFound(*r); ok {
		return earlier.Add(key, v)
	}
	return nil
}

// roundsOf returns the number of runs of a search for each seed.
func (s search) roundsOf(o options) int {
	if s.rows > 1000 {
		return cmp.Or(o.rounds, 1)
	}
	return cmp.Or(o.rounds, defaultRounds)
}

// measure runs our search and those of the peer in turns, on the rows of a seed. It uses the smallest time of the rounds.
func (s search) measure(ctx context.Context, o options, seed uint64, r *[measured]reached) error {
	dir, err := os.MkdirTemp("", "performance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, zero, err := s.prepare(ctx, folder(dir), o.scale, seed)
	if err != nil {
		return err
	}
	if err := folder(dir).row("jobs", float64(o.peers.jobs)); err != nil {
		return err
	}
	rounds := [measured]func() (seconds, measure float64, err error){
		0:          func() (float64, float64, error) { return ours.timed(ctx) },
		nothingSet: func() (float64, float64, error) { return zero.timed(ctx) },
	}
	for i, name := range searchers[1:] {
		if r[i+1].cut || o.peers.python == "" {
			continue
		}
		p, err := o.peers.startLimited(ctx, s.model+"_"+name, dir, o.limit)
		if err != nil {
			return err
		}
		defer p.stop()
		rounds[i+1] = p.round
	}
	var least, measures [measured]float64
	for i := range least {
		least[i] = math.Inf(1)
	}
	for range s.roundsOf(o) {
		for i, round := range rounds {
			if round == nil || r[i].cut {
				continue
			}
			seconds, measure, err := round()
			switch {
			case errors.Is(err, errLimit):
				r[i].cut = true
			case err != nil:
				return err
			case seconds < least[i]:
				least[i], measures[i] = seconds, measure
			}
		}
	}
	for i := range r {
		if rounds[i] != nil {
			r[i].add(measures[i], least[i])
		}
	}
	return nil
}

// line returns a row of the table.
func (s search) line(o options, r [measured]reached) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%d\t", s.name, rows(s.rows, o.scale))
	ours, seconds := r[0].means()
	best, ratios := 0, make([]float64, len(searchers))
	for i := range searchers {
		e, t := r[i].means()
		took := fmt.Sprintf("%.3g", t)
		if ratios[i] = seconds / t; r[i].cut {
			took = fmt.Sprintf("> %v", o.limit.Seconds())
		}
		fmt.Fprintf(&b, "%.4f\t%s\t", e, took)
		if bestError, _ := r[best].means(); i > 0 && !math.IsNaN(e) && (best == 0 || e < bestError) {
			best = i
		}
	}
	zero, took := r[nothingSet].means()
	if best == 0 {
		return fmt.Sprintf("%sNaN\tNaN\t-\tNaN\tNaN\t-\t%.4f\t%.3g\tNaN\t", b.String(), zero, took) // no peer
	}
	bestError, _ := r[best].means()
	ahead, differences := 0, make([]float64, len(r[0].errors))
	for i, e := range r[0].errors {
		differences[i] = (e - r[best].errors[i]) / bestError
		if differences[i] <= 0 {
			ahead++
		}
	}
	fmt.Fprintf(&b, "%.3f\t%.3f\t%d of %d\t%.3f\t%.3f\t%v\t%.4f\t%.3g\t%.3f\t", ours/bestError, standardError(differences), ahead,
		len(differences), ratios[1], ratios[2], s.wanted,
		zero, took, zero/bestError)
	return b.String()
}

// standardError returns the standard error of the mean, or NaN for a single value.
func standardError(v []float64) float64 {
	return stat.StdErr(stat.StdDev(v, nil), float64(len(v)))
}

// errLimit means that a peer's search exceeded its time limit.
var errLimit = errors.New("over the limit")

// limited is a peer whose rounds have a time limit.
type limited struct {
	peer   *peer
	ctx    context.Context
	cancel context.CancelFunc
	limit  time.Duration // 0 for none
}

func (p peers) startLimited(ctx context.Context, script, dir string, limit time.Duration) (*limited, error) {
	out := &limited{limit: limit}
	out.ctx, out.cancel = context.WithCancel(ctx)
	var err error
	if out.peer, err = p.start(out.ctx, sklearn, script, dir); err != nil {
		out.cancel()
		return nil, err
	}
	return out, nil
}

// round runs a round of the peer. It returns errLimit if the round was stopped.
func (l *limited) round() (seconds, measure float64, err error) {
	if l.limit == 0 {
		return l.peer.round(l.ctx)
	}
	var over atomic.Bool
	timer := time.AfterFunc(l.limit, func() {
		over.Store(true)
		l.cancel()
	})
	defer timer.Stop()
	if seconds, measure, err = l.peer.round(l.ctx); err != nil && over.Load() {
		err = errLimit
	}
	return seconds, measure, err
}

func (l *limited) stop() {
	l.peer.stop()
	l.cancel()
}
