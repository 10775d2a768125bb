package evidence

import (
	"context"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// contribution returns the contribution of a column with statistics s and q to the evidence, at precision a.
func contribution(a, s, q float64) float64 {
	if math.IsInf(a, 1) {
		return 0
	}
	return (math.Log(a/(a+s)) + q*q/(a+s)) / 2
}

// optimum returns the precision at which a column contributes most, or infinity if no precision makes it contribute.
func optimum(s, q float64) float64 {
	if q*q > s && s > 0 {
		return s * s / (q*q - s)
	}
	return math.Inf(1)
}

// inside returns the statistics that member i would have outside the model.
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

// action is a change of one column, with its promised gain.
type action struct {
	kind  kind
	index int     // index of the column to add, or of a member
	alpha float64 // the new precision
	gain  float64
}

// These are the smallest gains for which an action is tried. Small re-estimates are left to the polish, which makes them for all
// members at once.
const (
	leastGain       = 1e-4
	leastReestimate = 0.1
	// leastRise is the smallest rise of the recomputed evidence for which an action is kept.
	leastRise = 1e-5
	// A column is added only if its share outside the span of the model is at least leastFree. Below it, S is a rounding error.
	leastFree = 1e-7
	// rejectedUntilAnew is the number of rejected actions between two recomputations.
	rejectedUntilAnew = 5
	// alike is the cosine above which two columns are treated as equal.
	alike = 1 - 1e-6
)

// best returns the action with the largest promised gain.
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

// bestAdd returns the column whose addition promises the largest gain, if that exceeds gain. With ρ = q²/s the promised gain is (ρ
// - 1 - ln ρ)/2, which increases with ρ.
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

// excluded reports whether a column must not be added.
func (st *state) excluded(j int) bool {
	return st.b.Norms[j] == 0 || st.banned[j] || st.duplicate[j] || slices.Contains(st.active, j)
}

// resembles reports whether a column nearly equals a member.
func (st *state) resembles(j int) bool {
	for _, m := range st.members {
		if math.Abs(m.products[j]) > alike {
			return true
		}
	}
	return false
}

// snapshot holds the data that are needed to revert an action.
type snapshot struct {
	active          []int
	members         []*member
	alpha, mu, diag []float64
	s, q            []float64
	ee, lev         float64
}

// save returns a snapshot that uses the memory of an earlier one, which must no longer be in use.
func (st *state) save() snapshot {
	o := &st.spare
	return snapshot{
		append(o.active[:0], st.active...), append(o.members[:0], st.members...),
		append(o.alpha[:0], st.alpha...), append(o.mu[:0], st.mu...), append(o.diag[:0], st.diag...),
		append(o.s[:0], st.s...), append(o.q[:0], st.q...), st.ee, st.lev,
	}
}

// restore returns to a snapshot. A wrong promise can mean that the statistics have drifted. They are therefore recomputed after
// every few rejections, at the cost of a pass over the basis.
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
	chol, err := linalg.NewCholesky(ctx, "posterior precision", st.hessian(st.alpha, st.beta, nil))
	if err != nil {
		return err
	}
	st.factor = linalg.NewFactor(chol)
	return nil
}

// take performs an action, keeps it if the recomputed evidence rises, and reports whether it did. Otherwise it bans the column
// until another action is accepted. Without bans, a nearly noiseless target would endlessly promise gains that are rounding errors.
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

// drifted reports whether updated coefficients differ from the exact ones.
func drifted(updated, exact []float64) bool {
	largest, worst := 0.0, 0.0
	for i, v := range exact {
		largest, worst = max(largest, math.Abs(v)), max(worst, math.Abs(v-updated[i]))
	}
	return !(worst <= 1e-8*largest)
}

// apply changes the model and updates the statistics. It returns false if the new matrix is not positive definite.
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
	v := make([]float64, st.b.M)
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

// enter appends column j to the members.
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

// posterior returns column i of Σ, and Φ'Φ times this column.
func (st *state) posterior(i int) (sigma, v []float64) {
	sigma = st.sigma(i)
	v = make([]float64, st.b.M)
	st.table.addTo(v, sigma, st.active)
	return sigma, v
}

// change changes the precision of member i, which becomes the last member. It returns false if the new matrix is not positive
// definite.
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

// leave removes member i, whose column of Σ is sigma, but does not update S and Q.
func (st *state) leave(i int, sigma []float64) {
	own, mu := sigma[i], st.mu[i]
	for r, w := range sigma {
		st.diag[r] -= w * w / own
		st.mu[r] -= mu * w / own
	}
	st.table.remove(st.active[i])
	st.cut(i)
}

// cut removes member i from the factor and from all lists except the table.
func (st *state) cut(i int) {
	st.factor.Delete(i)
	st.gram.cut(i)
	st.active, st.members = slices.Delete(st.active, i, i+1), slices.Delete(st.members, i, i+1)
	st.alpha, st.mu, st.diag = slices.Delete(st.alpha, i, i+1), slices.Delete(st.mu, i, i+1), slices.Delete(st.diag, i, i+1)
}
