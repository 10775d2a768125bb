package loo

// Start holds what a search knows about the machine that will be fitted to its rows.
type Start struct {
	Near   float64 // a ridge near the best one, such as that of features of the same rows; 0: none is known
	Solved *Solved // the machine, if the search has solved for it
	// Parts has the part of each row given: of equal rows one part is left out at a time. Nil is all equal rows at once.
	Parts []int
}

// Solved holds a machine without weights that a search has already solved for.
type Solved struct {
	Kernel any
	Ridge  float64
	*Solution
	Shift []float64 // what was taken from the targets, to be added to the biases
}

// Starting gives the machine that embeds it a [Start] for its next Fit.
type Starting struct{ start Start }

// StartFrom says what is known of the machine of the next Fit, which forgets it.
func (s *Starting) StartFrom(start Start) { s.start = start }

// TakeStart returns what StartFrom was told, once.
func (s *Starting) TakeStart() Start {
	out := s.start
	s.start = Start{}
	return out
}

// StartFrom calls the method StartFrom of a machine that has one.
func StartFrom(machine any, start Start) {
	if m, ok := machine.(interface{ StartFrom(Start) }); ok {
		m.StartFrom(start)
	}
}
