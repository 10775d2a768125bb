package loo

// Start is what a search knows of a machine that is to be fitted to the rows of the search.
type Start struct {
	Near   float64 // a ridge near the best one, such as that of features of the same rows; 0: none is known
	Solved *Solved // the machine, if the search has solved for it
}

// Solved is a machine that a search has solved for, without weights.
type Solved struct {
	Kernel any
	Ridge  float64
	*Solution
	Shift []float64 // what was taken from the targets, to be added to the biases
}

// Starting is embedded by machines whose next Fit can go on from a [Start].
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
