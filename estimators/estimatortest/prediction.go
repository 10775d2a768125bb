package estimatortest

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/conformance"
)

func checkRepeatable(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	p.Same("a second call", m.Outputs(p, x), m.Outputs(p, x), 0)
}

func checkConcurrentPredict(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	// Each goroutine has different rows, so that shared scratch memory would mix them up.
	const goroutines, rounds = 4, 8
	parts := make([]mat.Matrix, goroutines)
	wants := make([]subject.Outputs, goroutines)
	for g := range parts {
		parts[g] = x.Slice(g, subject.TestRows-g, 0, 3)
		wants[g] = m.Outputs(p, parts[g])
	}
	probes := make([]*subject.Probe, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		q := &subject.Probe{Probe: &conformance.Probe{}}
		probes[g] = q
		wg.Go(func() {
			// A panic in this goroutine would end the process, because judge cannot recover it.
			defer func() {
				if r := recover(); r != nil {
					q.Errorf("panic: %v", r)
				}
			}()
			for range rounds {
				q.Keeps("and during concurrent calls", m, parts[g], wants[g])
			}
		})
	}
	wg.Wait()
	for g := range probes {
		p.Failures = append(p.Failures, probes[g].Failures...)
	}
}

func checkRowPermutation(p *subject.Probe, s *subject.Subject) {
	d, x := s.Train(), s.Test().X
	order := rand.New(rand.NewPCG(20, 11)).Perm(subject.TrainRows)
	p.Same("the rows of Fit in another order", s.Fitted(p, d).Outputs(p, x), s.Fitted(p, d.Pick(order)).Outputs(p, x), s.Options.Tolerance)
}

func checkBatchEqualsRows(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	whole := m.Outputs(p, x)
	for i := range subject.TestRows {
		var want subject.Outputs
		for _, o := range whole {
			_, c := o.Values.Dims()
			want = append(want, subject.Output{Method: o.Method, Values: o.Values.Slice(i, i+1, 0, c).(*mat.Dense)})
		}
		p.Same(fmt.Sprintf("row %d by itself", i), want, m.Outputs(p, x.Slice(i, i+1, 0, 3)), s.Options.Tolerance)
	}
}

func checkLearns(p *subject.Probe, s *subject.Subject) {
	test := s.Test()
	got := mat.Col(nil, 0, s.Fitted(p, s.Train()).Outputs(p, test.X)[0].Values)
	if s.Kind == subject.Classifiers {
		accurate(p, "Predict", got, test.Y)
		return
	}
	mean := 0.0
	for _, v := range test.Y {
		mean += v / subject.TestRows
	}
	var squares, residual float64
	for i, v := range test.Y {
		squares += (v - mean) * (v - mean)
		residual += (v - got[i]) * (v - got[i])
	}
	if !(residual < squares/2) {
		p.Errorf("squared error %.3g, that of the mean is %.3g: want less than half of it", residual, squares)
	}
}

// accurate fails unless four fifths of the labels are correct. The clusters of the problems are far apart, and no class has more
// than half of the rows.
func accurate(p *subject.Probe, method string, got, want []float64) {
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
