package vecmath

import "time"

// stopwatch adds up the time of one of two things that a benchmark alternates.
type stopwatch struct{ total time.Duration }

func (s *stopwatch) time(f func()) {
	start := time.Now()
	f()
	s.total += time.Since(start)
}

func (s *stopwatch) nanoseconds() float64 { return float64(s.total.Nanoseconds()) }
