// Package shapley computes the Shapley values of the columns of a row x: the contribution of each column to the difference between
// f(x) and the mean of f over background rows z (L. S. Shapley, 1953; S. M. Lundberg and S.-I. Lee, NIPS 2017).
//
// A player is a column or several related columns. A coalition S of players has the value v(S), the mean over z of f at the row
// that takes the columns of S from x and all others from z. The value of player j is the mean of v(S ∪ j) - v(S) over all orders in
// which the players can join.
//
// # Products
//
// Let f be Σ[i] α[i] Π[j] k[j](x, x[i]), a product with one factor per player. For a single row z, with a[j] and b[j] the factors
// of player j at x and at z, the mean over all orders is an integral (G. Owen, Management Science 18, 1972):
//
//	φ[j] = Σ[i] α[i] (a[j] - b[j]) ∫ Π[l≠j] ((1 - t) b[l] + t a[l]) dt,  t from 0 to 1
//
// The integrand is a polynomial of degree d - 1, which Gauss-Legendre quadrature with ⌈d/2⌉ nodes integrates exactly. Its products
// are computed as a prefix times a suffix, without divisions. The cost per row is O(m n d²/2) for m rows z and n rows x[i].
//
// [Kernel] writes a kernel as a sum of products. Matérn and rational quadratic kernels are integrals of Gaussian kernels over their
// rates, which the trapezoidal rule evaluates up to rounding.
//
// # Other functions
//
// [Sample] uses predictions. It averages the marginal contributions in an order and in its reverse (antithetic sampling), with the
// same number of orders for each z, so that the values sum to f(x) minus the mean of f. If all coalitions need no more predictions,
// it evaluates them all.
package shapley

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/kernels"
)

// Game is a kernel written as a sum of products, each with one factor per player.
type Game struct {
	players int
	owners  []int // player of each column; the number of players for a column that never changes
	sources []source
	terms   []term
}

// term is the product weight·Π exp(-rate·source)·Π factor.
type term struct {
	weight  float64
	rates   []rate
	factors []int // sources that are factors
}

// rate multiplies a source in an exponent.
type rate struct {
	source int
	by     float64
}

// source computes one number per player from two rows.
type source struct {
	columns []column
	each    func(c column, delta float64) float64 // summed over the columns of a player
	joint   kernels.Kernel                        // the factor of one player; nil: none
	player  int                                   // player of joint
}

// column describes how a kernel uses a column.
type column struct {
	at        int
	inverse   float64 // reciprocal length
	category  bool    // only compared for equality
	period    float64
	roundness float64 // 2/l² of a periodic kernel
}

// delta returns the difference of two rows in the column.
func (c column) delta(x, z []float64) float64 {
	if !c.category {
		return (x[c.at] - z[c.at]) * c.inverse
	}
	if x[c.at] == z[c.at] {
		return 0
	}
	return c.inverse
}

// mostTerms limits the number of products into which a kernel is expanded.
const mostTerms = 2000

// Kernel converts a kernel to a game. The argument owners holds the player of each column, or players for a column that never
// changes. The error names the part of the kernel that is not a sum of products.
func Kernel(k kernels.Kernel, owners []int, players int) (*Game, error) {
	g := &Game{players: players, owners: owners}
	view := make([]column, len(owners))
	for j := range view {
		view[j] = column{at: j, inverse: 1}
	}
	var err error
	g.terms, err = g.expand(k, view)
	return g, err
}

// expand returns the products of a kernel that is applied to the columns in view.
func (g *Game) expand(k kernels.Kernel, view []column) ([]term, error) {
	switch k := k.(type) {
	case kernels.Scaled:
		out, err := g.expand(k.Kernel, view)
		for i := range out {
			out[i].weight *= orDefault(k.Factor, 1)
		}
		return out, err
	case kernels.Sum:
		return g.sum(k, view)
	case kernels.Product:
		return g.product(k, view)
	case kernels.Columns:
		part := make([]column, len(k.Of))
		for i, j := range k.Of {
			part[i] = view[j]
		}
		return g.expand(k.Kernel, part)
	case kernels.ARD:
		return g.expand(k.Kernel, lengthened(k, view))
	}
	if player, ok := g.single(view); ok {
		return g.factor(k, view, player), nil
	}
	switch k := k.(type) {
	case kernels.RBF:
		return g.mixture(view, squared, []node{{1, orDefault(k.Gamma, 1)}}), nil
	case kernels.Laplacian:
		return g.mixture(view, absolute, []node{{1, orDefault(k.Gamma, 1)}}), nil
	case kernels.Matern:
		return g.mixture(view, squared, maternNodes(orDefault(k.Nu, 1.5), orDefault(k.Length, 1))), nil
	case kernels.RationalQuadratic:
		nodes := rationalNodes(orDefault(k.Alpha, 1), orDefault(k.Length, 1))
		if len(nodes) > mostTerms {
			return nil, fmt.Errorf("%v is not a sum of %d products", k, mostTerms)
		}
		return g.mixture(view, squared, nodes), nil
	case kernels.Periodic:
		return g.mixture(circled(k, view), circle, []node{{1, 1}}), nil
	case kernels.Linear:
		return g.sumOfColumns(view, func(int) (kernels.Kernel, float64, float64) { return k, 1, 1 })
	case kernels.Additive:
		return g.sumOfColumns(view, func(j int) (kernels.Kernel, float64, float64) {
			if k.Variances == nil {
				return k.Kernel, k.Lengths[j], 1
			}
			return k.Kernel, k.Lengths[j], k.Variances[j]
		})
	}
	return nil, fmt.Errorf("%v is not a product over the columns", k)
}

func orDefault(v, zero float64) float64 {
	if v == 0 {
		return zero
	}
	return v
}

// single returns the only player of the columns in view, or players if all columns are constant. It returns ok = false if there are
// several players.
func (g *Game) single(view []column) (player int, ok bool) {
	player = g.players
	for _, c := range view {
		switch o := g.owners[c.at]; {
		case o == g.players || o == player:
		case player == g.players:
			player = o
		default:
			return 0, false
		}
	}
	return player, true
}

// factor returns a term for a kernel of the columns of one player.
func (g *Game) factor(k kernels.Kernel, view []column, player int) []term {
	g.sources = append(g.sources, source{columns: view, joint: k, player: player})
	return []term{{weight: 1, factors: []int{len(g.sources) - 1}}}
}

func (g *Game) sum(ks []kernels.Kernel, view []column) (out []term, err error) {
	for _, k := range ks {
		own, err := g.expand(k, view)
		if err != nil {
			return nil, err
		}
		if out = append(out, own...); len(out) > mostTerms {
			return nil, fmt.Errorf("%v has more than %d products", kernels.Sum(ks), mostTerms)
		}
	}
	return out, nil
}

func (g *Game) product(ks []kernels.Kernel, view []column) ([]term, error) {
	out := []term{{weight: 1}}
	for _, k := range ks {
		own, err := g.expand(k, view)
		if err != nil {
			return nil, err
		}
		if len(out)*len(own) > mostTerms {
			return nil, fmt.Errorf("%v has more than %d products", kernels.Product(ks), mostTerms)
		}
		var next []term
		for _, a := range out {
			for _, b := range own {
				next = append(next, term{a.weight * b.weight, slices.Concat(a.rates, b.rates), slices.Concat(a.factors, b.factors)})
			}
		}
		out = next
	}
	return out, nil
}

// sumOfColumns expands a sum of kernels of single columns, each with its length and variance.
func (g *Game) sumOfColumns(view []column, of func(j int) (k kernels.Kernel, length, variance float64)) (out []term, err error) {
	for j, c := range view {
		k, length, variance := of(j)
		c.inverse /= length
		player, _ := g.single([]column{c})
		own := g.factor(k, []column{c}, player)
		own[0].weight = variance
		out = append(out, own...)
	}
	return out, nil
}

// mixture returns the terms of Σ weight·exp(-rate·source) for one source.
func (g *Game) mixture(view []column, each func(c column, delta float64) float64, nodes []node) (out []term) {
	g.sources = append(g.sources, source{columns: view, each: each})
	for _, n := range nodes {
		out = append(out, term{weight: n.weight, rates: []rate{{len(g.sources) - 1, n.rate}}})
	}
	return out
}

func squared(_ column, delta float64) float64  { return delta * delta }
func absolute(_ column, delta float64) float64 { return math.Abs(delta) }
func circle(c column, delta float64) float64 {
	s := math.Sin(math.Pi * delta / c.period)
	return c.roundness * s * s
}

// lengthened returns the columns with the lengths and the categories of an ARD.
func lengthened(k kernels.ARD, view []column) []column {
	out := slices.Clone(view)
	for j := range out {
		g := j
		if k.Groups != nil {
			g = k.Groups[j]
		}
		out[j].inverse /= k.Lengths[g]
		if slices.Contains(k.Categories, j) {
			out[j].category, out[j].inverse = true, 1/k.Lengths[g]
		}
	}
	return out
}

// circled returns the columns with the periods and lengths of a Periodic kernel.
func circled(k kernels.Periodic, view []column) []column {
	of := func(values []float64, j int) float64 {
		switch len(values) {
		case 0:
			return 1
		case 1:
			return values[0]
		}
		return values[j]
	}
	out := slices.Clone(view)
	for j := range out {
		l := of(k.Lengths, j)
		out[j].period, out[j].roundness = of(k.Periods, j), 2/(l*l)
	}
	return out
}
