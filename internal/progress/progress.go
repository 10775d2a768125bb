// Package progress says how far a fit or a search is. What takes long is a tree of parts, each a share of the one that it is in, and
// the context carries the part that is at work: each look at the context is reported to it, and code that knows better reports which share
// of its own work is done. Observers hear of their part in steps of its share, not of the clock, so that an observer changes
// neither the result nor, on one goroutine, what another observer would see. A limit of time, see [Deadline], is the exception.
//
// Without an observer there is no tree, and every function here does nothing.
package progress

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Step is package estimators' Step.
type Step struct {
	Iteration int
	Total     int
	Objective float64
	Message   string
	Done      float64
	Between   bool
	Whole     float64 // the share done of all that the fit is a part of
}

const (
	// perStep is the share of the work after which observers hear of it though no iteration has ended.
	perStep = 1. / 1000
	// perUse is the share of what is left of a part that one loop in it, or one group of parts, takes up: code that knows of
	// several opens Parts, and of others some is left for the next.
	perUse = .95
	// halfLooks looks at the context take up half of a part of which nothing else is known.
	halfLooks = 256
)

// tree is what the parts of one fit have in common. One goroutine at a time changes it or is in an observer.
type tree struct {
	sync.Mutex
	telling bool // an observer is at work, or has panicked: it is not called again
	shown   int  // steps so far
	quiet   int  // looks and pieces of work since the last of them
}

// tick counts a look or a piece of work in p. After some that were silent the observers hear of it though the share has hardly
// risen, as where a loop takes more iterations than was expected; the more steps there have been, the more of them.
func (t *tree) tick(p *workShare) {
	p.pass()
	if t.quiet++; t.quiet <= min(leastQuiet+t.shown/64, mostQuiet) {
		return
	}
	for ; p != nil; p = p.in {
		if p.observe != nil {
			p.show()
		}
	}
}

// So many looks at least, and at most, are between two steps that say nothing new.
const leastQuiet, mostQuiet = 8, 20

// workShare is a share of the work. All of it is its tree's.
type workShare struct {
	tree       *tree
	in         *workShare
	low, width float64 // where it lies in what it is in
	beside     bool    // it is done at the same time as others, and adds to what is done
	fit        bool    // it is a whole fit, which Tell is about
	observe    func(Step)

	done   float64
	busy   bool           // a loop says what is done, and what is within it is silent
	used   bool           // a loop or a group has been in it
	counts bool           // a fit that has iterations of its own, besides those of fits in it
	passed func() float64 // the share of its time that has passed; nil: it has no limit
	looks  int
	last   Step // that the observer has heard, or would have
}

// carrier is a context with a part.
type carrier struct {
	context.Context // which is no carrier
	part            *workShare
}

type partKey struct{}

type observerKey struct{}

// Value implements context.Context.
func (c *carrier) Value(key any) any {
	if _, ok := key.(partKey); ok {
		return c.part
	}
	return c.Context.Value(key)
}

// Err implements context.Context, and says to the part that somebody is at work.
func (c *carrier) Err() error {
	c.part.look()
	return c.Context.Err()
}

func shareOf(ctx context.Context) *workShare {
	if ctx == nil {
		return nil
	}
	p, _ := ctx.Value(partKey{}).(*workShare)
	return p
}

func withPart(ctx context.Context, p *workShare) context.Context {
	return &carrier{Silent(ctx), p}
}

// mostByTime is the share that is done of a fit whose time has passed, while it still goes on.
const mostByTime = .99

// Deadline says that the fit that ctx is in is to take at most limit from now on: at least the share of the time that has passed is done.
func Deadline(ctx context.Context, limit time.Duration, now func() time.Time) {
	p := shareOf(ctx)
	if p == nil || limit <= 0 {
		return
	}
	begun := now()
	p.tree.Lock()
	defer p.tree.Unlock()
	if p = p.ofFit(); p != nil {
		p.passed = func() float64 { return float64(now().Sub(begun)) / float64(limit) }
	}
}

// Silent returns a context that looks at the same end as ctx, but does not say so to its part. Loops and parts do.
func Silent(ctx context.Context) context.Context {
	if c, ok := ctx.(*carrier); ok {
		return c.Context
	}
	return ctx
}

// Detach returns a context with the end of ctx and no part: what is done with it is of none.
func Detach(ctx context.Context) context.Context {
	if shareOf(ctx) == nil && (ctx == nil || ctx.Value(observerKey{}) == nil) {
		return ctx
	}
	return context.WithValue(Silent(ctx), partKey{}, (*workShare)(nil))
}

// Observed returns a context with which every fit that begins tells observe.
func Observed(ctx context.Context, observe func(Step)) context.Context {
	return context.WithValue(context.WithValue(Silent(ctx), partKey{}, nil), observerKey{}, observe)
}

// Begin begins a fit, a part of what ctx is in, if it is in one: the observer may be nil. End is to be deferred, itself: a fit that
// returns without an error is done. A panic is such an error, as of fault.Recover.
func Begin(ctx context.Context, observe func(Step)) (_ context.Context, end func(err *error)) {
	if ctx == nil {
		ctx = context.Background()
	}
	p := &workShare{in: shareOf(ctx), observe: observe, fit: true, width: 1, last: Step{Between: true}}
	switch {
	case p.in != nil:
		p.tree = p.in.tree
		p.tree.Lock()
		defer p.tree.Unlock()
		if p.in.busy {
			// Who is silent about it may be told by its own observer all the same.
			if observe == nil {
				return ctx, nothing
			}
			p.in, p.tree = nil, &tree{}
			break
		}
		p.low, p.width = p.in.nextShare()
	default:
		if above, _ := ctx.Value(observerKey{}).(func(Step)); above != nil && ctx.Value(partKey{}) == nil { // and not Apart
			p.observe = notifyBoth(observe, above)
		}
		if p.observe == nil {
			return ctx, nothing
		}
		p.tree = &tree{}
	}
	return withPart(ctx, p), func(err *error) {
		if thrown := recover(); thrown != nil {
			*err = fault.Panicked(thrown)
		}
		if *err != nil {
			return
		}
		defer fault.Recover(err)
		p.tree.Lock()
		defer p.tree.Unlock()
		p.raise(1)
		if p.last.Done < 1 {
			p.show()
		}
	}
}

// BeginFit opens an exported Fit, in one line:
//
//	defer progress.BeginFit(&ctx, observe)(&err)
//
// It is check.Begin, and then Begin.
func BeginFit(ctx *context.Context, observe func(Step)) func(err *error) {
	own, end := Begin(check.Context(*ctx), observe)
	*ctx = own
	return func(err *error) {
		if thrown := recover(); thrown != nil {
			*err = fault.Panicked(thrown)
			return
		}
		end(err)
		fault.NameDeferrer(err)
	}
}

// nothing ends a fit that nobody looks at.
func nothing(*error) {}

func notifyBoth(own, above func(Step)) func(Step) {
	if own == nil {
		return above
	}
	return func(s Step) {
		own(s)
		above(s)
	}
}

// nextShare is where the next loop or group of a part lies in it.
func (p *workShare) nextShare() (low, width float64) {
	p.used = true
	return p.done, perUse * (1 - p.done)
}

// raise sets what is done of a part, and of those that it is in. It never falls.
func (p *workShare) raise(done float64) {
	p.pass()
	p.rise(done)
}

// pass raises what has a limit of time to the share of it that has passed.
func (p *workShare) pass() {
	for ; p != nil; p = p.in {
		if p.passed != nil {
			p.rise(mostByTime * min(p.passed(), 1))
		}
	}
}

// rise is raise without a look at the time.
func (p *workShare) rise(done float64) {
	for p != nil && done > p.done {
		added := min(done, 1) - p.done
		p.done += added
		if p.done-p.last.Done >= perStep && p.done < 1 {
			p.show()
		}
		if p.in == nil {
			return
		}
		if done = p.low + p.width*p.done; p.beside {
			done = p.in.done + p.width*added
		}
		p = p.in
	}
}

func (p *workShare) show() {
	all := p
	for all.in != nil {
		all = all.in
	}
	p.last.Done, p.last.Whole = p.done, all.done
	if p.observe == nil || p.tree.telling {
		return
	}
	p.tree.telling, p.tree.quiet = true, 0
	p.tree.shown++
	p.observe(p.last)
	p.tree.telling = false
	p.last.Between = true
}

func (p *workShare) look() {
	p.tree.Lock()
	defer p.tree.Unlock()
	defer p.tree.tick(p)
	if p.busy || p.used {
		return
	}
	p.looks++
	p.raise(perUse * float64(p.looks) / float64(p.looks+halfLooks))
}

// Watched reports whether somebody looks.
func Watched(ctx context.Context) bool { return shareOf(ctx) != nil }

// Tell says to the observers of the fit that ctx is in, and of those that this is in as long as they have no iterations of
// their own, that an iteration has ended. Those further out hear the message with their next step.
func Tell(ctx context.Context, s Step) {
	p := shareOf(ctx)
	if p == nil {
		return
	}
	p.tree.Lock()
	defer p.tree.Unlock()
	p.pass()
	p = p.ofFit()
	for p != nil {
		p.last = s
		p.show()
		if p = p.in.ofFit(); p != nil && p.counts {
			break
		}
	}
	for ; p != nil; p = p.in {
		p.last.Message = s.Message
	}
}

// ofFit is the fit that a part is in; nil if there is none.
func (p *workShare) ofFit() *workShare {
	for p != nil && !p.fit {
		p = p.in
	}
	return p
}

// Counts says that the fit that ctx is in counts iterations of its own: those of fits in it are not passed on.
func Counts(ctx context.Context) {
	if p := shareOf(ctx); p != nil {
		p.tree.Lock()
		defer p.tree.Unlock()
		if p = p.ofFit(); p != nil {
			p.counts = true
		}
	}
}

// Report says that a share of the fit that ctx is in is done.
func Report(ctx context.Context, share float64) {
	p := shareOf(ctx)
	if p == nil || !(share > 0) {
		return
	}
	p.tree.Lock()
	defer p.tree.Unlock()
	if p = p.ofFit(); p != nil {
		p.used = true
		p.raise(share)
	}
}

// Locked calls f with the share done of the fit that ctx is in while no other observer of it is called; with 0 where nobody looks.
func Locked(ctx context.Context, f func(done float64)) {
	p := shareOf(ctx)
	if p == nil {
		f(0)
		return
	}
	p.tree.Lock()
	defer p.tree.Unlock()
	p.pass()
	for p.in != nil && !p.fit {
		p = p.in
	}
	if p.tree.telling { // it has panicked
		return
	}
	p.tree.telling = true
	f(p.done)
	p.tree.telling = false
}

// Group are the parts that a piece of work falls into.
type Group struct {
	ctx context.Context
	of  *workShare // nil: nobody looks
}

// Open opens a group in the part of ctx.
func Open(ctx context.Context) Group {
	p := shareOf(ctx)
	if p == nil {
		return Group{ctx: ctx}
	}
	p.tree.Lock()
	defer p.tree.Unlock()
	if p.busy {
		return Group{ctx: ctx}
	}
	own := &workShare{tree: p.tree, in: p, used: true}
	own.low, own.width = p.nextShare()
	return Group{ctx, own}
}

// Share returns the context of what is from one share of the group to another. What comes before is done when it begins to say something.
func (g Group) Share(low, high float64) context.Context {
	if g.of == nil {
		return g.ctx
	}
	return withPart(g.ctx, &workShare{tree: g.of.tree, in: g.of, low: low, width: high - low})
}

// Step returns the context of the i-th of n, one after the other, that take as long each.
func (g Group) Step(i, n int) context.Context {
	return g.Share(float64(i)/float64(n), float64(i+1)/float64(n))
}

// Parallel returns the context of a share of the group that is done at the same time as others. Done says that it is.
func (g Group) Parallel(share float64) (ctx context.Context, done func()) {
	if g.of == nil {
		return g.ctx, func() {}
	}
	p := &workShare{tree: g.of.tree, in: g.of, width: share, beside: true}
	return withPart(g.ctx, p), func() {
		p.tree.Lock()
		defer p.tree.Unlock()
		p.raise(1)
	}
}

// Report says that a share of the group is done, by who is in it without a context of its own.
func (g Group) Report(share float64) {
	if g.of == nil {
		return
	}
	g.of.tree.Lock()
	defer g.of.tree.Unlock()
	if share > 0 { // not where it is NaN
		g.of.raise(share)
	}
}

// Parts returns contexts for what is done one after the other, of these weights.
func Parts(ctx context.Context, weights ...float64) []context.Context {
	g, out, total := Open(ctx), make([]context.Context, len(weights)), 0.0
	for _, w := range weights {
		total += w
	}
	low := 0.0
	for i, w := range weights {
		high := low + w/total
		out[i] = g.Share(low, high)
		low = high
	}
	return out
}

// Two is Parts of two.
func Two(ctx context.Context, first, second float64) (context.Context, context.Context) {
	if shareOf(ctx) == nil {
		return ctx, ctx
	}
	parts := Parts(ctx, first, second)
	return parts[0], parts[1]
}

// Series are parts one after the other of which nobody knows how many there will be: those that are expected are even, and
// each of the others gets an eighth of what is left.
type Series struct {
	group           Group
	expected, begun int
}

// NewSeries expects so many parts.
func NewSeries(ctx context.Context, expected int) *Series {
	return &Series{group: Open(ctx), expected: max(expected, 1)}
}

// Next returns the context of the next part. It is for one goroutine.
func (s *Series) Next() context.Context {
	of := float64(s.expected + 1)
	low, high := float64(s.begun), float64(s.begun+1)
	if s.begun >= s.expected {
		left := math.Pow(7./8, float64(s.begun-s.expected))
		low, high = of-left, of-left*7/8
	}
	s.begun++
	return s.group.Share(low/of, high/of)
}

// Loop is a piece of work that knows which share of it is done. What is done in it with the same context is silent. Nil is
// one that nobody looks at.
type Loop struct {
	part       *workShare
	low, width float64
	done       float64
}

// NewLoop begins one. End is to be deferred.
func NewLoop(ctx context.Context) *Loop {
	p := shareOf(ctx)
	if p == nil {
		return nil
	}
	p.tree.Lock()
	defer p.tree.Unlock()
	if p.busy {
		return nil
	}
	l := &Loop{part: p}
	l.low, l.width = p.nextShare()
	p.busy = true
	return l
}

// Report says that a share of the work is done.
func (l *Loop) Report(share float64) {
	if l == nil {
		return
	}
	l.part.tree.Lock()
	defer l.part.tree.Unlock()
	l.report(share)
}

// Add says that a share more is done.
func (l *Loop) Add(share float64) {
	if l == nil {
		return
	}
	l.part.tree.Lock()
	defer l.part.tree.Unlock()
	l.report(l.done + share)
}

func (l *Loop) report(share float64) {
	defer l.part.tree.tick(l.part)
	if share > l.done { // not where it is NaN
		l.done = min(share, 1)
		l.part.raise(l.low + l.width*l.done)
	}
}

// End ends the loop.
func (l *Loop) End() {
	if l == nil {
		return
	}
	l.part.tree.Lock()
	defer l.part.tree.Unlock()
	l.part.busy = false
}

// Towards is the share done of an iteration whose measure of convergence has fallen from begin to now, and that stops at end: it falls by
// about the same factor each time. 0 where that says nothing.
func Towards(begin, now, end float64) float64 {
	if !(begin > end) || !(end > 0) || !(now > 0) {
		return 0
	}
	return min(1, math.Log(begin/now)/math.Log(begin/end))
}
