package shapley

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	orderStream = 0x6f72646572 // the random stream "order"
	// limits the number of rows that are predicted together
	batchNumbers = 1 << 18
	// mostPlayers limits the players for which all coalitions are evaluated. 20 players have a million coalitions.
	mostPlayers = 20
)

// Function is the function to explain. It returns a number for each row. Several goroutines call it at the same time.
type Function func(rows *mat.Dense) ([]float64, error)

// Sampling holds the settings of Sample.
type Sampling struct {
	// Groups are the columns of each player. Other columns keep their background values.
	Groups [][]int
	// Orders is the number of random orders per background row, each with its reverse; at least 2.
	Orders int
	// All evaluates all coalitions of at most mostPlayers players instead of random orders.
	All     bool
	Seed    uint64
	Workers int
}

// AllCostLess reports whether evaluating all coalitions needs no more predictions than the random orders.
func (s Sampling) AllCostLess() bool {
	p := len(s.Groups)
	return p <= mostPlayers && 1<<p-2 <= 2*s.Orders*(p-1)
}

// Sample returns the values of the players for x and the mean over the background (m×d), with their standard errors. If All is set,
// these are 0. The values sum to f(x) minus the mean over the background, up to rounding. The result does not depend on Workers. It
// returns the errors of f, ErrTooLarge, or ctx's error.
func Sample(ctx context.Context, s Sampling, x []float64, background *mat.Dense, f Function) (phi, se []float64, err error) {
	m, d := background.Dims()
	players := len(s.Groups)
	phi, se = make([]float64, players), make([]float64, players)
	if players == 0 {
		return phi, se, nil
	}
	if s.All && players > mostPlayers {
		return nil, nil, fmt.Errorf("%d columns or groups of them, want <= %d for all coalitions: %w", players, mostPlayers,
			fault.ErrTooLarge)
	}
	need := float64(m)*2*float64(players) + float64(parallel.Workers(s.Workers))*(2*batchNumbers+float64(s.count()+2*d))
	if err := check.Numbers("the values of each row of the background", need, "take fewer rows of it"); err != nil {
		return nil, nil, err
	}
	own, squares := make([][]float64, m), make([][]float64, m)
	err = parallel.ForEach(ctx, s.Workers, m, func(z int) error {
		w := walker{Sampling: s, ctx: ctx, x: x, z: background.RawRowView(z), f: f}
		var err error
		if s.All {
			own[z], err = w.coalitions()
		} else {
			own[z], squares[z], err = w.orders(rand.New(rand.NewPCG(s.Seed, orderStream+uint64(z))))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for z := range own {
		floats.AddScaled(phi, 1/float64(m), own[z])
		if squares[z] != nil { // variance of the mean of independent orders, for each z
			floats.AddScaled(se, 1/(float64(m)*float64(m)*float64(s.Orders)*float64(s.Orders-1)), squares[z])
		}
	}
	for p, v := range se {
		se[p] = math.Sqrt(v)
	}
	return phi, se, nil
}

// count returns the number of predictions per background row.
func (s Sampling) count() int {
	if s.All {
		return 1 << len(s.Groups)
	}
	return 2 + 2*s.Orders*(len(s.Groups)-1)
}

// walker computes the values for one background row z.
type walker struct {
	Sampling
	ctx  context.Context
	x, z []float64
	f    Function
}

// predictions calls fill on each of n copies of z, and returns the predictions for them.
func (w walker) predictions(n int, fill func(i int, row []float64)) ([]float64, error) {
	size := max(1, min(n, batchNumbers/len(w.x)))
	rows := mat.NewDense(size, len(w.x), nil)
	out := make([]float64, 0, n)
	for first := 0; first < n; first += size {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		count := min(size, n-first)
		for i := range count {
			copy(rows.RawRowView(i), w.z)
			fill(first+i, rows.RawRowView(i))
		}
		y, err := w.f(rows.Slice(0, count, 0, len(w.x)).(*mat.Dense))
		if err != nil {
			return nil, err
		}
		out = append(out, y...)
	}
	return out, nil
}

// join copies the columns of a player from x to a row.
func (w walker) join(row []float64, player int) {
	for _, j := range w.Groups[player] {
		row[j] = w.x[j]
	}
}

// coalitions computes the values from their definition.
func (w walker) coalitions() ([]float64, error) {
	players := len(w.Groups)
	v, err := w.predictions(1<<players, func(s int, row []float64) {
		for p := range players {
			if s>>p&1 == 1 {
				w.join(row, p)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	phi, weights := make([]float64, players), coalitionWeights(players)
	for s := range v {
		for p := range players {
			if s>>p&1 == 0 {
				phi[p] += weights[bits.OnesCount(uint(s))] * (v[s|1<<p] - v[s])
			}
		}
	}
	return phi, nil
}

// coalitionWeights returns s!(d-1-s)!/d! for each size s of a coalition, where d is the number of players.
func coalitionWeights(players int) []float64 {
	out := make([]float64, players)
	out[0] = 1 / float64(players)
	for s := 1; s < players; s++ {
		out[s] = out[s-1] * float64(s) / float64(players-s)
	}
	return out
}

// orders returns the mean of the values over the random orders, each with its reverse, and the sum of squared deviations from the
// mean.
func (w walker) orders(rng *rand.Rand) (mean, square []float64, err error) {
	players := len(w.Groups)
	walks := make([][]int, 0, 2*w.Orders)
	for range w.Orders {
		order := rng.Perm(players)
		reverse := make([]int, players)
		for i, p := range order {
			reverse[players-1-i] = p
		}
		walks = append(walks, order, reverse)
	}
	steps := players - 1
	v, err := w.predictions(w.count(), func(i int, row []float64) {
		switch i {
		case 0:
		case 1:
			for p := range players {
				w.join(row, p)
			}
		default:
			walk := walks[(i-2)/steps]
			for _, p := range walk[:(i-2)%steps+1] {
				w.join(row, p)
			}
		}
	})
	if err != nil {
		return nil, nil, err
	}
	mean, square = make([]float64, players), make([]float64, players)
	for pair := range w.Orders {
		own := make([]float64, players)
		for half := range 2 {
			at, last := 2*pair+half, v[0]
			for i, p := range walks[at] {
				next := v[1]
				if i < steps {
					next = v[2+at*steps+i]
				}
				own[p] += (next - last) / 2
				last = next
			}
		}
		for p, a := range own {
			off := a - mean[p]
			mean[p] += off / float64(pair+1)
			square[p] += off * (a - mean[p])
		}
	}
	return mean, square, nil
}
