// Package progress tracks the progress of fits and searches. Work forms a tree of parts, each a share of its parent, and the
// context carries the current part. Each check of the context advances its part, and code that knows more reports the completed
// share of its work. Observers are called when their share has grown by a step, whatever time has elapsed. Therefore an observer
// changes neither the result nor, on a single goroutine, the calls of other observers. A time limit (see [Deadline]) is the
// exception.
//
// Without an observer there is no tree, and all functions do nothing.
package progress

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Step has the fields of the Step of package estimators.
type Step struct {
	Iteration int
	Total     int
	Objective float64
	Message   string
	Done      float64
	Between   bool
	Whole     float64 // the completed share of the outermost fit
}

const (
	// perStep is the share of the work after which observers are called even if no iteration has ended.
	perStep = 1. / 1000
	// perUse is the share of the remainder of a part that a loop or a group of parts covers. The rest remains for loops that follow
	// it. Code with several loops should divide its part with Parts.
	perUse = .95
	// halfEvaluations is the number of context checks after which half of a part counts as completed, if nothing else advances it.
	halfEvaluations = 256
)

// tree is the shared state of the parts of a fit. One goroutine at a time changes it or runs an observer.
type tree struct {
	sync.Mutex
	telling bool // an observer is running, or has panicked and must not be called again
	shown   int  // number of steps so far
	quiet   int  // checks and pieces of work since the last step
}

// tick counts a check or a piece of work in p. After several ticks without a step, observers are called even if the share has
// hardly grown, as in a loop that takes more iterations than expected. The interval grows with the number of steps.
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

// Bounds of the number of ticks between two such steps.
const leastQuiet, mostQuiet = 8, 20

// workShare is a part: a share of the work of its tree.
type workShare struct {
	tree       *tree
	in         *workShare
	low, width float64 // its interval within its parent
	beside     bool    // it runs in parallel with others, and adds to the completed share
	fit        bool    // it is a complete fit, the subject of Tell
	observe    func(Step)

	done   float64
	busy   bool           // a loop reports progress, so parts within it do not
	used   bool           // a loop or a group has been opened in it
	counts bool           // a fit with iterations of its own in addition to those of nested fits
	passed func() float64 // elapsed share of its time; nil: no limit
	looks  int
	last   Step // the last step, even without an observer
}

// carrier is a context with a part.
type carrier struct {
	context.Context // not itself a carrier
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

// Err implements context.Context, and advances the part.
func (c *carrier) Err() error {
	c.part.read()
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

// mostByTime is the completed share of a fit that is still running after its time has elapsed.
const mostByTime = .99

// Deadline declares that the fit of ctx ends when the time limit, counted from now, has elapsed. The completed share of the fit is
// then at least the elapsed fraction of that time.
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

// Silent returns a context that ends with ctx, but whose checks do not advance the part. Loops and parts still advance it.
func Silent(ctx context.Context) context.Context {
	if c, ok := ctx.(*carrier); ok {
		return c.Context
	}
	return ctx
}

// Detach returns a context that ends with ctx, but has no part.
func Detach(ctx context.Context) context.Context {
	if shareOf(ctx) == nil && (ctx == nil || ctx.Value(observerKey{}) == nil) {
		return ctx
	}
	return context.WithValue(Silent(ctx), partKey{}, (*workShare)(nil))
}

// Observed returns a context in which every fit also calls observe.
func Observed(ctx context.Context, observe func(Step)) context.Context {
	return context.WithValue(context.WithValue(Silent(ctx), partKey{}, nil), observerKey{}, observe)
}

// Begin begins a fit as a part of the fit of ctx, if there is one. The observer may be nil. Defer the function end itself. A fit
// that returns without an error is complete, and a panic becomes an error, as with fault.Recover.
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
			// A silent fit may still have an observer of its own.
			if observe == nil {
				return ctx, nothing
			}
			p.in, p.tree = nil, &tree{}
			break
		}
		p.low, p.width = p.in.nextShare()
	default:
		if above, _ := ctx.Value(observerKey{}).(func(Step)); above != nil && ctx.Value(partKey{}) == nil { // and not within Apart
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

// BeginFit begins an exported Fit with one statement:
//
//	defer progress.BeginFit(&ctx, observe)(&err)
//
// It calls check.Begin, and then Begin.
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

// nothing is the end function of a fit without observers.
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

// nextShare returns the interval of the next loop or group within a part.
func (p *workShare) nextShare() (low, width float64) {
	p.used = true
	return p.done, perUse * (1 - p.done)
}

// raise sets the completed share of a part, and of its ancestors. It never decreases.
func (p *workShare) raise(done float64) {
	p.pass()
	p.rise(done)
}

// pass raises a part with a time limit to the elapsed share of its time.
func (p *workShare) pass() {
	for ; p != nil; p = p.in {
		if p.passed != nil {
			p.rise(mostByTime * min(p.passed(), 1))
		}
	}
}

// rise is raise without checking the time.
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

func (p *workShare) read() {
	p.tree.Lock()
	defer p.tree.Unlock()
	defer p.tree.tick(p)
	if p.busy || p.used {
		return
	}
	p.looks++
	p.raise(perUse * float64(p.looks) / float64(p.looks+halfEvaluations))
}

// Watched reports whether ctx has an observer.
func Watched(ctx context.Context) bool { return shareOf(ctx) != nil }

// Tell calls the observers of the fit of ctx at the end of an iteration, and those of enclosing fits up to the first with
// iterations of its own. Observers further out receive the message with their next step.
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

// ofFit returns the fit of a part, or nil.
func (p *workShare) ofFit() *workShare {
	for p != nil && !p.fit {
		p = p.in
	}
	return p
}

// Counts declares that the fit of ctx counts its own iterations. Observers then do not receive the iterations of nested fits.
func Counts(ctx context.Context) {
	if p := shareOf(ctx); p != nil {
		p.tree.Lock()
		defer p.tree.Unlock()
		if p = p.ofFit(); p != nil {
			p.counts = true
		}
	}
}

// Report sets the completed share of the fit of ctx.
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

// Locked calls f with the completed share of the fit of ctx while no observer of the fit runs. The share is 0 without observers.
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

// Group divides a piece of work into parts.
type Group struct {
	ctx context.Context
	of  *workShare // nil without observers
}

// Open opens a group within the part of ctx.
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

// Share returns the context of the part from low to high. Earlier work counts as completed once this part makes progress.
func (g Group) Share(low, high float64) context.Context {
	if g.of == nil {
		return g.ctx
	}
	return withPart(g.ctx, &workShare{tree: g.of.tree, in: g.of, low: low, width: high - low})
}

// Step returns the context of the i-th of n equal parts, which run one after the other.
func (g Group) Step(i, n int) context.Context {
	return g.Share(float64(i)/float64(n), float64(i+1)/float64(n))
}

// Parallel returns the context of a share of the group that runs in parallel with others. Done marks it as completed.
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

// Report sets the completed share of the group, for work without a context of its own.
func (g Group) Report(share float64) {
	if g.of == nil {
		return
	}
	g.of.tree.Lock()
	defer g.of.tree.Unlock()
	if share > 0 { // false for NaN
		g.of.raise(share)
	}
}

// Parts returns contexts for consecutive parts with these weights.
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

// Two returns contexts for two consecutive parts with these weights.
func Two(ctx context.Context, first, second float64) (context.Context, context.Context) {
	if shareOf(ctx) == nil {
		return ctx, ctx
	}
	parts := Parts(ctx, first, second)
	return parts[0], parts[1]
}

// Series is a sequence of parts whose number is unknown. The expected parts are equal, and each further one receives an eighth of
// the remainder.
type Series struct {
	group           Group
	expected, begun int
}

// NewSeries returns a series with an expected number of parts.
func NewSeries(ctx context.Context, expected int) *Series {
	return &Series{group: Open(ctx), expected: max(expected, 1)}
}

// Next returns the context of the next part. Only one goroutine may call it.
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

// Loop is work that reports its completed share. Context checks within it do not advance its part. A nil Loop has no observers.
type Loop struct {
	part       *workShare
	low, width float64
	done       float64
}

// NewLoop begins a loop. Defer its End.
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

// Report sets the completed share of the work.
func (l *Loop) Report(share float64) {
	if l == nil {
		return
	}
	l.part.tree.Lock()
	defer l.part.tree.Unlock()
	l.report(share)
}

// Add increases the completed share.
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
	if share > l.done { // false for NaN
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

// Towards estimates the completed share of an iteration whose measure of convergence has fallen from begin to now, and which stops
// at end. It assumes that the measure falls by a constant factor. It returns 0 if that is not possible.
func Towards(begin, now, end float64) float64 {
	if !(begin > end) || !(end > 0) || !(now > 0) {
		return 0
	}
	return min(1, math.Log(begin/now)/math.Log(begin/end))
}
