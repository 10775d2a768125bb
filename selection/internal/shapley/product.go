package shapley

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

const (
	// mostBlock and leastBlock limit the number of rows in a block. The number is smaller with many players and products.
	mostBlock, leastBlock = 64, 4
	blockNumbers          = 1 << 17
	// mostNodes is the size of a table of error bounds. Rules with more nodes need no bound.
	mostNodes = 100
	// A product of factors is dropped if it is below this fraction of the largest |α|.
	rounding = 1e-18
)

// Values returns the Shapley value of each player in Σ[i] alpha[i] k(x, rows[i]), for a row x and the mean over the background
// (m×d). The result does not depend on workers. It returns ErrTooLarge or ctx's error.
func (g *Game) Values(ctx context.Context, workers int, x []float64, background, rows *mat.Dense, alpha []float64) ([]float64, error) {
	n, _ := rows.Dims()
	size := max(leastBlock, min(mostBlock, blockNumbers/((g.players+1)*max(1, len(g.terms)))))
	tasks := (n + size - 1) / size
	need := float64(parallel.Workers(workers))*float64(size)*float64(g.players+1)*float64(len(g.terms)+2*len(g.sources)+6) +
		float64(tasks)*float64(g.players)
	if err := check.Numbers("the factors of a block of rows", need, "explain by Permutations"); err != nil {
		return nil, err
	}
	rules := newRules((g.players + 1) / 2)
	parts := make([][]float64, tasks)
	err := parallel.ForEach(ctx, workers, tasks, func(task int) error {
		first := task * size
		b := g.newBlock(rows.Slice(first, min(first+size, n), 0, rows.RawMatrix().Cols).(*mat.Dense), alpha[first:], rules)
		b.begin(x)
		m, _ := background.Dims()
		for z := range m {
			if z%16 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			b.add(x, background.RawRowView(z))
		}
		parts[task] = b.phi
		return nil
	})
	if err != nil {
		return nil, err
	}
	phi := make([]float64, g.players)
	for _, p := range parts {
		floats.Add(phi, p)
	}
	m, _ := background.Dims()
	floats.Scale(1/float64(m), phi)
	return phi, nil
}

// Work returns the number of multiplications in Values for the given numbers of background rows and rows of the machine.
func (g *Game) Work(background, rows int) float64 {
	out := 0.0
	for _, t := range g.terms {
		players := float64(len(g.playersOf(t)))
		out += players * (players + 1) / 2
	}
	return out * float64(background) * float64(rows)
}

// block holds some of the rows of the machine, with working memory. Element [player*size + i] belongs to row i.
type block struct {
	*Game
	rows  *mat.Dense
	alpha []float64
	size  int
	rules []func() rule
	phi   []float64

	largest  float64      // |α|
	involved [][]int      // players of each term
	atX, atZ [][]float64  // by source
	least    []float64    // per source, the minimum over the rows of the sum over the players of the smaller value at x and z
	factorsX [][]float64  // by term, the factors at x
	factorsZ []float64    // factors of the current term at z
	weights  []float64    // α times the constant factors
	factors  [3][]float64 // of changing players: factors at x and at z, and sums of products
	prefix   []float64
	suffix   []float64
	scaled   [2][]float64
}

func (g *Game) newBlock(rows *mat.Dense, alpha []float64, rules []func() rule) *block {
	size, d := rows.Dims()
	all := (g.players + 1) * size
	b := &block{Game: g, rows: rows, alpha: alpha[:size], size: size, rules: rules, phi: make([]float64, g.players),
		least: make([]float64, len(g.sources)), factorsZ: make([]float64, all), weights: make([]float64, size),
		prefix: make([]float64, all), suffix: make([]float64, size)}
	for i := range b.factors {
		b.factors[i] = make([]float64, all)
	}
	for range g.sources {
		b.atX, b.atZ = append(b.atX, make([]float64, all)), append(b.atZ, make([]float64, all))
	}
	for _, t := range g.terms {
		b.involved, b.factorsX = append(b.involved, g.playersOf(t)), append(b.factorsX, make([]float64, all))
	}
	b.largest = floats.Norm(b.alpha, math.Inf(1))
	b.scaled[0], b.scaled[1] = make([]float64, d), make([]float64, d)
	return b
}

// playersOf returns the players with a factor in a term.
func (g *Game) playersOf(t term) (out []int) {
	seen := make([]bool, g.players+1)
	for _, r := range t.rates {
		for _, c := range g.sources[r.source].columns {
			seen[g.owners[c.at]] = true
		}
	}
	for _, s := range t.factors {
		seen[g.sources[s].player] = true
	}
	for p, ok := range seen {
		if ok {
			out = append(out, p)
		}
	}
	return out
}

// measure computes the sources between a row and each row of the block.
func (b *block) measure(dst [][]float64, row []float64) {
	for s, src := range b.sources {
		to := dst[s]
		if src.joint != nil {
			x, z := b.scaled[0][:len(src.columns)], b.scaled[1][:len(src.columns)]
			for i := range b.size {
				src.scale(x, z, row, b.rows.RawRowView(i))
				to[src.player*b.size+i] = src.joint.Eval(x, z)
			}
			continue
		}
		clear(to)
		for _, c := range src.columns {
			own := to[b.owners[c.at]*b.size:][:b.size]
			for i := range own {
				own[i] += src.each(c, c.delta(row, b.rows.RawRowView(i)))
			}
		}
	}
}

// scale copies the columns of a joint kernel from two rows, in the kernel's units.
func (s source) scale(x, z, row, other []float64) {
	for j, c := range s.columns {
		if x[j], z[j] = row[c.at]*c.inverse, other[c.at]*c.inverse; c.category {
			x[j], z[j] = 0, c.delta(row, other)
		}
	}
}

// begin computes the factors of all terms at x.
func (b *block) begin(x []float64) {
	b.measure(b.atX, x)
	for t := range b.terms {
		b.factorsOf(b.factorsX[t], t, b.atX)
	}
}

// bound computes the minimum sums of the sources, so that negligible terms can be dropped before their factors are computed.
func (b *block) bound() {
	sums := b.suffix
	for s, src := range b.sources {
		if src.joint != nil {
			continue
		}
		clear(sums)
		for at := 0; at < len(b.atX[s]); at += b.size {
			x, z := b.atX[s][at:][:b.size], b.atZ[s][at:][:b.size]
			for i := range sums {
				sums[i] += min(x[i], z[i])
			}
		}
		b.least[s] = floats.Min(sums)
	}
}

// vanishes reports whether a term is negligible. The term is at most weight·exp(-Σ rate·least) times α.
func (b *block) vanishes(t term) bool {
	if t.factors != nil {
		return false
	}
	exponent := 0.0
	for _, r := range t.rates {
		exponent += r.by * b.least[r.source]
	}
	return t.weight*math.Exp(-exponent) <= rounding
}

// factorsOf computes the factors of a term for each player and row.
func (b *block) factorsOf(dst []float64, t int, sources [][]float64) {
	of := b.terms[t]
	for _, p := range b.involved[t] {
		own := dst[p*b.size:][:b.size]
		clear(own)
		for _, r := range of.rates {
			floats.AddScaled(own, r.by, sources[r.source][p*b.size:][:b.size])
		}
		if of.rates == nil {
			for i := range own {
				own[i] = 1
			}
		} else {
			vecmath.Exp(own, -1, own)
		}
		for _, s := range of.factors {
			if b.sources[s].player == p {
				floats.Mul(own, sources[s][p*b.size:][:b.size])
			}
		}
	}
}

// add adds the contribution of one background row z to the values.
func (b *block) add(x, z []float64) {
	changes := make([]bool, b.players+1)
	for j, o := range b.owners {
		changes[o] = changes[o] || x[j] != z[j]
	}
	b.measure(b.atZ, z)
	b.bound()
	for t := range b.terms {
		if b.vanishes(b.terms[t]) {
			continue
		}
		b.factorsOf(b.factorsZ, t, b.atZ)
		copy(b.weights, b.alpha)
		floats.Scale(b.terms[t].weight, b.weights)
		var active []int
		for _, p := range b.involved[t] {
			if !changes[p] {
				floats.Mul(b.weights, b.factorsX[t][p*b.size:][:b.size])
				continue
			}
			at := len(active) * b.size
			copy(b.factors[0][at:], b.factorsX[t][p*b.size:][:b.size])
			copy(b.factors[1][at:], b.factorsZ[p*b.size:][:b.size])
			active = append(active, p)
		}
		b.integrate(active)
	}
}

// integrate adds the contribution of the current term to the values of the players in active, whose factors change.
func (b *block) integrate(active []int) {
	k := len(active)
	if k == 0 {
		return
	}
	all := k * b.size
	a, z, sums := b.factors[0][:all], b.factors[1][:all], b.factors[2][:all]
	nodes := b.nodes(a, z)
	if nodes == 0 {
		return
	}
	clear(sums)
	r := b.rules[nodes]()
	for q, t := range r.nodes {
		b.products(sums, a, z, t, r.weights[q])
	}
	for at, p := range active {
		for i := at * b.size; i < (at+1)*b.size; i++ {
			b.phi[p] += b.weights[i-at*b.size] * (a[i] - z[i]) * sums[i]
		}
	}
}

// nodes returns the number of nodes whose error is below rounding, or 0 if the values themselves are below rounding. No value
// exceeds twice the product of the larger factors, which is 0 for Gaussian kernels much narrower than the distances.
func (b *block) nodes(a, z []float64) int {
	product, change := b.prefix[:b.size], b.suffix
	for i, w := range b.weights {
		product[i], change[i] = math.Abs(w), 0
	}
	for at := 0; at < len(a); at += b.size {
		va, vz := a[at:][:b.size], z[at:][:b.size]
		for i := range product {
			larger := max(math.Abs(va[i]), math.Abs(vz[i]))
			product[i] *= larger
			if larger > 0 {
				change[i] += math.Abs(va[i]-vz[i]) / larger
			}
		}
	}
	most := -1.0
	for i, v := range product {
		if v > rounding*b.largest {
			most = max(most, change[i])
		}
	}
	if most < 0 {
		return 0
	}
	exact := (len(a)/b.size + 1) / 2
	for n := 1; n < exact && n < len(largestChange()); n++ {
		if most <= largestChange()[n] {
			return n
		}
	}
	return exact
}

// largestChange holds the largest sum of |a-b|/max(|a|,|b|) over the factors of a product, for each number of nodes, for which the
// error is 1e-16 of the product of the larger factors. On an ellipse around 0 and 1 whose half axes sum to ρ/2, a factor is at most
// 1 + δ|a-b|/max(|a|,|b|) times the larger one, with δ = (ρ+1/ρ)/4 - 1/2. The error of the rule is at most 32/15 times the maximum
// on the ellipse, divided by ρ^2n (1 - ρ^-2) (L. N. Trefethen, SIAM Review 50, 2008, 67).
var largestChange = sync.OnceValue(func() []float64 {
	out := make([]float64, mostNodes)
	for n := range out {
		for rho := 1.1; rho < 1e6; rho *= 1.05 {
			delta := (rho+1/rho)/4 - 0.5
			out[n] = max(out[n], (2*float64(n)*math.Log(rho)+math.Log(1-1/(rho*rho))+math.Log(1e-16*15./32))/delta)
		}
	}
	return out
})

// products computes, for each player, the product of the factors of all other players at t. It adds weight times this product to
// sums.
func (b *block) products(sums, a, z []float64, t, weight float64) {
	size := b.size
	before := b.prefix[:size]
	for i := range before {
		before[i] = weight
	}
	for at := size; at < len(a); at += size {
		here, last := b.prefix[at:][:size], b.prefix[at-size:][:size]
		va, vz := a[at-size:][:size], z[at-size:][:size]
		for i := range here {
			here[i] = last[i] * (vz[i] + t*(va[i]-vz[i]))
		}
	}
	suffix := b.suffix[:size]
	for i := range suffix {
		suffix[i] = 1
	}
	for at := len(a) - size; at >= 0; at -= size {
		to, here, va, vz := sums[at:][:size], b.prefix[at:][:size], a[at:][:size], z[at:][:size]
		for i := range to {
			to[i] += here[i] * suffix[i]
			suffix[i] *= vz[i] + t*(va[i]-vz[i])
		}
	}
}
