package estimatortest

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/conformance"
)

func checkRepeatable(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	p.same("a second call", m.outputs(p, x), m.outputs(p, x), 0)
}

func checkConcurrentPredict(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	// Each goroutine has rows of its own: shared scratch memory would mix them.
	const goroutines, rounds = 4, 8
	parts := make([]mat.Matrix, goroutines)
	wants := make([]outputs, goroutines)
	for g := range parts {
		parts[g] = x.Slice(g, testRows-g, 0, 3)
		wants[g] = m.outputs(p, parts[g])
	}
	probes := make([]*probe, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		q := &probe{&conformance.Probe{}}
		probes[g] = q
		wg.Go(func() {
			// A panic here is not in judge's goroutine and would end the process.
			defer func() {
				if r := recover(); r != nil {
					q.Errorf("panic: %v", r)
				}
			}()
			for range rounds {
				q.keeps("and during concurrent calls", m, parts[g], wants[g])
			}
		})
	}
	wg.Wait()
	for g := range probes {
		p.Failures = append(p.Failures, probes[g].Failures...)
	}
}

func checkRowPermutation(p *probe, s *subject) {
	d, x := s.train(), s.test().x
	order := rand.New(rand.NewPCG(20, 11)).Perm(trainRows)
	p.same("the rows of Fit in another order", s.fitted(p, d).outputs(p, x), s.fitted(p, d.pick(order)).outputs(p, x), s.options.Tolerance)
}

func checkBatchEqualsRows(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	whole := m.outputs(p, x)
	for i := range testRows {
		var want outputs
		for _, o := range whole {
			_, c := o.values.Dims()
			want = append(want, output{o.method, o.values.Slice(i, i+1, 0, c).(*mat.Dense)})
		}
		p.same(fmt.Sprintf("row %d by itself", i), want, m.outputs(p, x.Slice(i, i+1, 0, 3)), s.options.Tolerance)
	}
}

func checkLearns(p *probe, s *subject) {
	test := s.test()
	got := mat.Col(nil, 0, s.fitted(p, s.train()).outputs(p, test.x)[0].values)
	if s.kind == classifiers {
		p.accurate("Predict", got, test.y)
		return
	}
	mean := 0.0
	for _, v := range test.y {
		mean += v / testRows
	}
	var squares, residual float64
	for i, v := range test.y {
		squares += (v - mean) * (v - mean)
		residual += (v - got[i]) * (v - got[i])
	}
	if !(residual < squares/2) {
		p.Errorf("squared error %.3g, that of the mean is %.3g: want less than half of it", residual, squares)
	}
}

// accurate fails unless four fifths of the labels are right. The clusters of
// the problems lie far apart, and no class has more than half of the rows.
func (p *probe) accurate(method string, got, want []float64) {
	right := 0
	for i, l := range want {
		if got[i] == l {
			right++
		}
	}
	if 5*right < 4*len(want) {
		p.Errorf("%s: %d of %d labels are right, want four fifths", method, right, len(want))
	}
}
