package kerneltest

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/conformance"
	"github.com/kernelearn/kernelearn/kernels"
)

func checkBounds(p *conformance.Probe, s *subject) {
	lo, hi := s.family.Bounds()
	if !(0 < lo && lo < hi && hi <= math.MaxFloat64) {
		p.Fatalf("Bounds are %v and %v", lo, hi)
	}
	tiny := rows(6, 2, 1)
	tiny.Scale(1e-160, tiny)
	large := rows(6, 2, 1)
	large.Scale(1e150, large)
	for what, x := range map[string]*mat.Dense{
		"spread": rows(30, 3, 1), "equal": mat.NewDense(5, 2, nil), "single": rows(1, 2, 1), "very close": tiny, "far apart": large,
	} {
		start, err := s.family.Start(context.Background(), x)
		p.Must("Start on "+what+" rows", err)
		if !(lo <= start && start <= hi) {
			p.Errorf("Start on %s rows is %v, outside %v to %v", what, start, lo, hi)
		}
	}
}

func checkStartNotFinite(p *conformance.Probe, s *subject) {
	x := rows(4, 2, 1)
	want, err := s.family.Start(context.Background(), x)
	p.Must("Start", err)
	x.Set(2, 1, math.NaN())
	if got, err := s.family.Start(context.Background(), x); err == nil && got != want {
		p.Errorf("Start on a NaN is %v without an error", got)
	}
}

// params returns five parameters of a family, in equal ratios from bound to bound, and its initial value.
func (s *subject) params(p *conformance.Probe) []float64 {
	lo, hi := s.family.Bounds()
	start, err := s.family.Start(context.Background(), rows(30, 3, 1))
	p.Must("Start", err)
	out := []float64{lo}
	for _, t := range []float64{0.25, 0.5, 0.75} {
		out = append(out, math.Exp(math.Log(lo)+t*(math.Log(hi)-math.Log(lo))))
	}
	return append(out, hi, start)
}

func checkMembers(p *conformance.Probe, s *subject) {
	for _, v := range s.params(p) {
		k := s.family.Kernel(v)
		p.Must("Validate", kernels.Validate(k))
		if !s.Indefinite {
			positive(p, k, rows(30, 3, 4))
		}
	}
}

func checkDistinct(p *conformance.Probe, s *subject) {
	seen := map[string]float64{}
	for _, v := range s.params(p) {
		if s.family.Integer() {
			v = math.Round(v)
		}
		name := s.family.Kernel(v).String()
		if again := s.family.Kernel(v).String(); again != name {
			p.Errorf("At(%v) is %s and then %s", v, name, again)
		}
		if other, ok := seen[name]; ok && other != v {
			p.Errorf("At(%v) and At(%v) are both %s", other, v, name)
		}
		seen[name] = v
	}
}

func checkInteger(p *conformance.Probe, s *subject) {
	start, err := s.family.Start(context.Background(), rows(30, 3, 1))
	p.Must("Start", err)
	whole := math.Floor(start) + 1
	near, at := s.family.Kernel(whole+0.3).String(), s.family.Kernel(whole).String()
	switch {
	case s.family.Integer() && near != at:
		p.Errorf("At(%v) is %s, At(%v) is %s: Integer reports integer parameters", whole+0.3, near, whole, at)
	case !s.family.Integer() && near == at:
		p.Errorf("At(%v) and At(%v) are both %s: Integer reports that parameters are not rounded", whole+0.3, whole, at)
	}
}
