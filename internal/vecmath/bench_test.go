package vecmath

import "time"

// stopwatch records the shortest time of one of two alternating functions, since other programs on the machine can only make it
// longer.
type stopwatch struct{ least time.Duration }

func (s *stopwatch) time(f func()) {
	start := time.Now()
	f()
	if d := time.Since(start); s.least == 0 || d < s.least {
		s.least = d
	}
}

func (s *stopwatch) nanoseconds() float64 { return float64(s.least.Nanoseconds()) }
