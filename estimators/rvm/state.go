package rvm

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// problem is what all starts of a regression share.
type problem struct {
	b        *basis
	t        []float64 // centred for an intercept of flat prior
	bt       []float64 // Φ't
	tt       float64   // t't
	dof      float64   // N: n-1 for an intercept of flat prior, else n
	variance float64   // of the targets, centred whatever the intercept
	noise    float64   // fixed noise variance; 0: estimated
	workers  int

	mu    sync.Mutex
	cache map[int]*member
}

// member is a column that some start has had in its model.
type member struct {
	column   []float64 // n
	products []float64 // Φ'column, M
}

// member returns column j with its products, computed once for all starts.
func (p *problem) member(ctx context.Context, j int) (*member, error) {
	p.mu.Lock()
	m, ok := p.cache[j]
	p.mu.Unlock()
	if ok {
		return m, nil
	}
	column, err := p.b.column(ctx, j)
	if err != nil {
		return nil, err
	}
	var products []float64
	if p.b.gram != nil {
		products = p.b.gram.RawRowView(j)
	} else if products, err = p.b.correlate(ctx, column); err != nil {
		return nil, err
	}
	m = &member{column: column, products: products}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cache[j] = m
	return m, nil
}

// state is a model with the statistics that say how each change of it would do, in
// the order of the specification's letters: for each column of the basis S and Q,
// for each member α, its coefficient μ and its variance Σjj.
type state struct {
	*problem
	active  []int
	members []*member
	table   table // of the members' products
	gram    gram  // of the members
	alpha   []float64
	mu      []float64
	diag    []float64
	beta    float64
	factor  *linalg.Factor // of H = βG + A, in the order of active
	s, q    []float64
	ee      float64 // e'e of e = t - Φμ
	lev     float64
	jitter  float64 // the largest that a factorisation took

	banned    map[int]bool // until the next accepted action
	duplicate map[int]bool // of a member, until the next deletion
	actions   int
	rejected  int
	damping   float64  // of the last Newton step: the next polish begins from it
	spare     snapshot // memory for the next
}

func newState(p *problem, beta float64) *state {
	return &state{
		problem: p, beta: beta, damping: 1e-6, table: table{width: p.b.m, of: map[int]int{}}, banned: map[int]bool{}, duplicate: map[int]bool{},
	}
}

// table holds the members' products with all columns in one piece, a row for each, where
// their own rows lie far apart: a sum over members is then a product with a matrix. The
// rows are in no order; of says where a member's is.
type table struct {
	width   int
	columns []int // the member of each row
	of      map[int]int
	data    []float64
}

func (t *table) row(k int) []float64 { return t.data[k*t.width : (k+1)*t.width] }

// put adds the products of column j, if they are not there.
func (t *table) put(j int, products []float64) {
	if _, ok := t.of[j]; !ok {
		t.of[j] = len(t.columns)
		t.columns, t.data = append(t.columns, j), append(t.data, products...)
	}
}

// remove takes column j out; the last row takes its place.
func (t *table) remove(j int) {
	k, last := t.of[j], len(t.columns)-1
	copy(t.row(k), t.row(last))
	t.columns[k] = t.columns[last]
	t.of[t.columns[k]] = k
	delete(t.of, j)
	t.columns, t.data = t.columns[:last], t.data[:last*t.width]
}

// tableStrip is the number of columns that addTo takes at a time: they stay in the first
// cache.
const tableStrip = 512

// addTo adds the sum of v[i] times the products of columns[i] to dst.
func (t *table) addTo(dst, v []float64, columns []int) {
	if len(v) == 0 {
		return
	}
	by := make([]float64, len(v))
	for i, j := range columns {
		by[t.of[j]] = v[i]
	}
	for first := 0; first < t.width; first += tableStrip {
		to := dst[first:min(first+tableStrip, t.width)]
		part := blas64.General{Rows: len(v), Cols: len(to), Stride: t.width, Data: t.data[first:]}
		blas64.Gemv(blas.Trans, 1, part, linalg.Vector(by), 1, linalg.Vector(to))
	}
}

// gram is the matrix G = Φ'Φ of the members, in their order and in one piece, where their
// products lie far apart. Like a slice it has room to grow.
type gram struct {
	n, ld int
	data  []float64
}

func (g *gram) row(i int) []float64 { return g.data[i*g.ld : i*g.ld+g.n] }

// push adds the last of the members.
func (g *gram) push(active []int, last *member) {
	if n := g.n + 1; n > g.ld {
		ld := max(32, 2*g.ld)
		data := make([]float64, ld*ld)
		for i := range g.n {
			copy(data[i*ld:], g.row(i))
		}
		g.ld, g.data = ld, data
	}
	g.n++
	row := g.row(g.n - 1)
	for i, j := range active {
		row[i] = last.products[j]
		g.data[i*g.ld+g.n-1] = row[i]
	}
}

// cut takes out member k.
func (g *gram) cut(k int) {
	for i := range g.n {
		row := g.row(i)
		to := row
		if i > k {
			to = g.data[(i-1)*g.ld : (i-1)*g.ld+g.n]
		} else if i == k {
			continue
		}
		copy(to[:k], row[:k])
		copy(to[k:], row[k+1:])
	}
	g.n--
}

// times returns Gv.
func (g *gram) times(v []float64) []float64 {
	out := make([]float64, g.n)
	if g.n > 0 {
		blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: g.n, Cols: g.n, Stride: g.ld, Data: g.data}, linalg.Vector(v), 0, linalg.Vector(out))
	}
	return out
}

// reorder takes table and gram matrix from active and members anew.
func (st *state) reorder() {
	for k := len(st.table.columns) - 1; k >= 0; k-- {
		if j := st.table.columns[k]; !slices.Contains(st.active, j) {
			st.table.remove(j)
		}
	}
	st.gram.n = 0
	for i, m := range st.members {
		st.table.put(st.active[i], m.products)
		st.gram.push(st.active[:i+1], m)
	}
}

// hessian returns βG + A in the given memory, m².
func (st *state) hessian(alpha []float64, beta float64, memory []float64) *mat.SymDense {
	m := len(st.active)
	h := mat.NewSymDense(m, memory)
	raw := h.RawSymmetric()
	for i := range m {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+m]
		for j, v := range st.gram.row(i)[i:] {
			row[j] = beta * v
		}
		row[0] += alpha[i]
	}
	return h
}

// recompute takes everything from active, alpha and beta, exactly.
func (st *state) recompute(ctx context.Context) error {
	if err := st.solve(); err != nil {
		return err
	}
	return st.scan(ctx)
}

// solve takes what concerns the members from active, alpha and beta, exactly: all but S
// and Q.
func (st *state) solve() error {
	var chol *linalg.Cholesky
	if len(st.active) > 0 {
		var err error
		memory := rowwise.Scratch(len(st.active) * len(st.active))
		defer rowwise.Release(memory)
		if chol, err = linalg.NewCholesky("posterior precision", st.hessian(st.alpha, st.beta, *memory)); err != nil {
			return err
		}
		st.jitter = max(st.jitter, chol.Jitter())
	}
	st.factor = linalg.NewFactor(chol)
	st.mu, st.diag = make([]float64, len(st.active)), st.factor.DiagInverse()
	st.refresh()
	return nil
}

// scan takes S and Q from the posterior, exactly.
func (st *state) scan(ctx context.Context) error {
	m := len(st.active)
	if st.s == nil {
		st.s, st.q = make([]float64, st.b.m), make([]float64, st.b.m)
	}
	// Φ'e is Φ't less the members' products: no pass over the basis.
	clear(st.q)
	st.table.addTo(st.q, st.mu, st.active)
	for i, v := range st.q {
		st.q[i] = st.beta * (st.bt[i] - v)
		st.s[i] = st.beta
	}
	if m == 0 {
		return nil
	}
	const chunk = 256
	return parallel.For(ctx, st.workers, (st.b.m+chunk-1)/chunk, func(c int) error {
		first := c * chunk
		width := min(chunk, st.b.m-first)
		memory := rowwise.Scratch(m * width)
		defer rowwise.Release(memory)
		part := mat.NewDense(m, width, *memory)
		for i, j := range st.active {
			copy(part.RawRowView(i), st.table.row(st.table.of[j])[first:first+width])
		}
		for i, v := range st.factor.QuadInverse(part) {
			st.s[first+i] -= st.beta * st.beta * v
		}
		return nil
	})
}

// refresh takes μ, e'e and the evidence from the factor, exactly.
func (st *state) refresh() {
	for i, j := range st.active {
		st.mu[i] = st.beta * st.bt[j]
	}
	st.factor.Solve(st.mu)
	st.ee = st.squares(st.mu, fineEnough/st.beta)
	st.lev = st.evidence(st.alpha, st.mu, st.beta, st.ee, st.factor.LogDet())
}

// fineEnough is what rounding may move βe'e by where an action is judged, a tenth of
// leastRise. It is taken to be four times the rounding unit of the sum of the sizes of all
// terms: on Friedman's function that was mostly ten to some hundred times too much.
const (
	fineEnough = 1e-6
	rounding   = 0x1p-51
)

// squares returns e'e for e = t - Φμ. Where rounding may move it by error, it takes the
// products with Φ, O(m²); where their terms cancel too far for that, the columns, O(nm).
func (st *state) squares(mu []float64, error float64) float64 {
	ee, linear, sum := st.tt, 0.0, 0.0
	for i, g := range st.gram.times(mu) {
		v, bt := mu[i], st.bt[st.active[i]]
		ee += v * (g - 2*bt)
		linear += math.Abs(v * bt)
		sum += math.Abs(v)
	}
	// Columns of unit norm have products of at most 1.
	if (st.tt+2*linear+sum*sum)*rounding < error {
		return ee
	}
	size := 0.0
	for i, v := range mu {
		a := 0.0
		for j, g := range st.gram.row(i) {
			a += math.Abs(mu[j] * g)
		}
		size += math.Abs(v) * a
	}
	if (st.tt+2*linear+size)*rounding < error {
		return ee
	}
	return st.residual(mu)
}

// residual returns e'e from the columns.
func (st *state) residual(mu []float64) float64 {
	e := slices.Clone(st.t)
	for i, v := range mu {
		linalg.Axpy(-v, st.members[i].column, e)
	}
	return linalg.Dot(e, e)
}

// gradient returns Φ'e of the members.
func (st *state) gradient(mu []float64) []float64 {
	out := st.gram.times(mu)
	for i, k := range st.active {
		out[i] = st.bt[k] - out[i]
	}
	return out
}

// evidence is the log marginal likelihood, restricted to n-1 degrees of freedom for
// an intercept of flat prior.
func (st *state) evidence(alpha, mu []float64, beta, ee, logDet float64) float64 {
	l := st.dof*(math.Log(beta)-math.Log(2*math.Pi)) - logDet - beta*ee
	for i, a := range alpha {
		l += math.Log(a) - a*mu[i]*mu[i]
	}
	return l / 2
}

// gamma is the sum of the well-determinedness 1 - αΣ of the members.
func (st *state) gamma() float64 {
	sum := 0.0
	for i, a := range st.alpha {
		sum += 1 - a*st.diag[i]
	}
	return sum
}

// contribution is what a column adds to the evidence at precision a.
func contribution(a, s, q float64) float64 {
	if math.IsInf(a, 1) {
		return 0
	}
	return (math.Log(a/(a+s)) + q*q/(a+s)) / 2
}

// optimum is the precision at which a column adds most, infinite if it adds nothing.
func optimum(s, q float64) float64 {
	if q*q > s && s > 0 {
		return s * s / (q*q - s)
	}
	return math.Inf(1)
}

// inside returns the statistics of member i as if it were not in the model.
func (st *state) inside(i int) (s, q float64) {
	return 1/st.diag[i] - st.alpha[i], st.mu[i] / st.diag[i]
}

type kind int

const (
	nothing kind = iota
	add
	reestimate
	remove
)

// action is a change of one column and the gain that it promises.
type action struct {
	kind  kind
	index int     // a column to add, a member otherwise
	alpha float64 // the new precision
	gain  float64
}

// The gains from which an action is taken: the polish does small re-estimates of all
// members at once.
const (
	leastGain       = 1e-4
	leastReestimate = 0.1
	// leastRise is by how much the evidence, taken anew, has to rise.
	leastRise = 1e-5
	// leastFree is the share of a column that lies outside the span of the model for
	// it to be added; below it S is rounding.
	leastFree = 1e-7
	// rejectedUntilAnew is the number of actions taken back between two recomputations.
	rejectedUntilAnew = 5
	// alike is the cosine from which two columns are the same.
	alike = 1 - 1e-6
)

// best returns the action with the largest promise.
func (st *state) best() action {
	var top action
	for i := range st.active {
		if st.banned[st.active[i]] {
			continue
		}
		s, q := st.inside(i)
		a := action{kind: remove, index: i, alpha: math.Inf(1), gain: -contribution(st.alpha[i], s, q)}
		if o := optimum(s, q); !math.IsInf(o, 1) {
			a = action{kind: reestimate, index: i, alpha: o, gain: contribution(o, s, q) - contribution(st.alpha[i], s, q)}
			if a.gain < leastReestimate {
				continue
			}
		}
		if a.gain > top.gain {
			top = a
		}
	}
	for {
		next := st.bestAdd(top.gain)
		if next.kind == nothing {
			break
		}
		if !st.resembles(next.index) {
			top = next
			break
		}
		st.duplicate[next.index] = true
	}
	if top.gain < leastGain {
		return action{}
	}
	return top
}

// bestAdd returns the column whose addition promises most, if that is more than gain.
// With ρ = q²/s the promise is (ρ - 1 - ln ρ)/2, which grows with ρ.
func (st *state) bestAdd(gain float64) (a action) {
	floor := leastFree * st.beta
	top, at := 1.0, -1
	for j, s := range st.s {
		if q := st.q[j]; s >= floor && q*q > top*s && !st.excluded(j) {
			top, at = q*q/s, j
		}
	}
	if at < 0 {
		return action{}
	}
	o := optimum(st.s[at], st.q[at])
	if g := contribution(o, st.s[at], st.q[at]); g > gain {
		return action{kind: add, index: at, alpha: o, gain: g}
	}
	return action{}
}

// excluded says whether a column is not to be added.
func (st *state) excluded(j int) bool {
	return st.b.norms[j] == 0 || st.banned[j] || st.duplicate[j] || slices.Contains(st.active, j)
}

// resembles reports whether a column is nearly a member.
func (st *state) resembles(j int) bool {
	for _, m := range st.members {
		if math.Abs(m.products[j]) > alike {
			return true
		}
	}
	return false
}

// snapshot is what an action that is taken back needs.
type snapshot struct {
	active          []int
	members         []*member
	alpha, mu, diag []float64
	s, q            []float64
	ee, lev         float64
}

// save uses the memory of the last snapshot, which is not wanted any more.
func (st *state) save() snapshot {
	o := &st.spare
	return snapshot{
		append(o.active[:0], st.active...), append(o.members[:0], st.members...),
		append(o.alpha[:0], st.alpha...), append(o.mu[:0], st.mu...), append(o.diag[:0], st.diag...),
		append(o.s[:0], st.s...), append(o.q[:0], st.q...), st.ee, st.lev,
	}
}

// restore goes back to a snapshot. A promise that was not kept may come of statistics
// that have drifted, so now and then they are taken anew, which costs a pass over the
// basis.
func (st *state) restore(ctx context.Context, old snapshot) error {
	st.active, st.members, st.alpha, st.spare = old.active, old.members, old.alpha, snapshot{}
	st.reorder()
	if st.rejected++; st.rejected%rejectedUntilAnew == 0 {
		return st.recompute(ctx)
	}
	st.mu, st.diag, st.s, st.q, st.ee, st.lev = old.mu, old.diag, old.s, old.q, old.ee, old.lev
	st.factor = linalg.NewFactor(nil)
	if len(st.active) == 0 {
		return nil
	}
	chol, err := linalg.NewCholesky("posterior precision", st.hessian(st.alpha, st.beta, nil))
	if err != nil {
		return err
	}
	st.factor = linalg.NewFactor(chol)
	return nil
}

// take does an action if the evidence, taken anew, rises by it, and says whether it
// did. If not the column is banned until another action is accepted: a nearly
// noiseless target promises gains that are rounding, for ever.
func (st *state) take(ctx context.Context, a action) (bool, error) {
	old := st.save()
	column := a.index
	if a.kind != add {
		column = st.active[a.index]
	}
	ok, err := st.apply(ctx, a)
	if err != nil {
		return false, err
	}
	if ok {
		promised := st.mu
		st.mu = slices.Clone(promised)
		st.refresh()
		if st.lev-old.lev >= leastRise {
			st.actions++
			st.spare = old
			clear(st.banned)
			if a.kind == remove {
				clear(st.duplicate)
			}
			if drifted(promised, st.mu) {
				err = st.recompute(ctx)
			}
			return true, err
		}
	}
	st.banned[column] = true
	return false, st.restore(ctx, old)
}

// drifted reports whether updated coefficients have left the exact ones.
func drifted(updated, exact []float64) bool {
	largest, worst := 0.0, 0.0
	for i, v := range exact {
		largest, worst = max(largest, math.Abs(v)), max(worst, math.Abs(v-updated[i]))
	}
	return !(worst <= 1e-8*largest)
}

// apply changes the model and updates the statistics; false if the new matrix is not
// positive definite.
func (st *state) apply(ctx context.Context, a action) (bool, error) {
	switch a.kind {
	case add:
		m, err := st.member(ctx, a.index)
		if err != nil {
			return false, err
		}
		return st.insert(a.index, m, a.alpha), nil
	case reestimate:
		return st.change(a.index, a.alpha), nil
	default:
		st.drop(a.index)
		return true, nil
	}
}

func (st *state) insert(j int, m *member, alpha float64) bool {
	size := len(st.active)
	u, cross := make([]float64, size), make([]float64, size)
	for i, k := range st.active {
		cross[i] = st.beta * m.products[k]
		u[i] = cross[i]
	}
	st.factor.Solve(u)
	if !st.factor.Append(cross, st.beta*m.products[j]+alpha) {
		return false
	}
	skk := 1 / (alpha + st.s[j])
	mk := skk * st.q[j]
	v := make([]float64, st.b.m)
	st.table.addTo(v, u, st.active)
	for i, w := range m.products {
		v[i] = w - v[i]
	}
	st.shift(v, -skk*st.beta*st.beta, -mk*st.beta)
	for i, w := range u {
		st.diag[i] += skk * w * w
		st.mu[i] -= mk * w
	}
	st.enter(j, m, alpha)
	st.mu, st.diag = append(st.mu, mk), append(st.diag, skk)
	return true
}

// shift adds a v² to S and b v to Q.
func (st *state) shift(v []float64, a, b float64) {
	for i, w := range v {
		st.s[i] += a * w * w
		st.q[i] += b * w
	}
}

// enter puts column j at the end of the members.
func (st *state) enter(j int, m *member, alpha float64) {
	st.active, st.members, st.alpha = append(st.active, j), append(st.members, m), append(st.alpha, alpha)
	st.table.put(j, m.products)
	st.gram.push(st.active, m)
}

// sigma returns column i of Σ.
func (st *state) sigma(i int) []float64 {
	out := make([]float64, len(st.active))
	out[i] = 1
	st.factor.Solve(out)
	return out
}

// posterior returns column i of Σ, and Φ'Φ times it.
func (st *state) posterior(i int) (sigma, v []float64) {
	sigma = st.sigma(i)
	v = make([]float64, st.b.m)
	st.table.addTo(v, sigma, st.active)
	return sigma, v
}

// change gives member i another precision; it becomes the last.
func (st *state) change(i int, alpha float64) bool {
	sigma, v := st.posterior(i)
	d := alpha - st.alpha[i]
	k := d / (1 + d*sigma[i])
	mu := st.mu[i]
	st.shift(v, k*st.beta*st.beta, k*mu*st.beta)
	for r, w := range sigma {
		st.diag[r] -= k * w * w
		st.mu[r] -= k * mu * w
	}
	j, m := st.active[i], st.members[i]
	mu, diag := st.mu[i], st.diag[i]
	st.cut(i)
	cross := make([]float64, len(st.active))
	for r, c := range st.active {
		cross[r] = st.beta * m.products[c]
	}
	if !st.factor.Append(cross, st.beta*m.products[j]+alpha) {
		return false
	}
	st.enter(j, m, alpha)
	st.mu, st.diag = append(st.mu, mu), append(st.diag, diag)
	return true
}

func (st *state) drop(i int) {
	sigma, v := st.posterior(i)
	st.shift(v, st.beta*st.beta/sigma[i], st.mu[i]*st.beta/sigma[i])
	st.leave(i, sigma)
}

// leave takes member i out, whose column of Σ is sigma, but not out of S and Q.
func (st *state) leave(i int, sigma []float64) {
	own, mu := sigma[i], st.mu[i]
	for r, w := range sigma {
		st.diag[r] -= w * w / own
		st.mu[r] -= mu * w / own
	}
	st.table.remove(st.active[i])
	st.cut(i)
}

// cut takes member i out of every list but the table, and of the factor.
func (st *state) cut(i int) {
	st.factor.Delete(i)
	st.gram.cut(i)
	st.active, st.members = slices.Delete(st.active, i, i+1), slices.Delete(st.members, i, i+1)
	st.alpha, st.mu, st.diag = slices.Delete(st.alpha, i, i+1), slices.Delete(st.mu, i, i+1), slices.Delete(st.diag, i, i+1)
}
