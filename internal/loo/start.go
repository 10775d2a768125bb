package loo

// Start holds the results of a search that help to fit the machine to the same rows.
type Start struct {
	Near   float64 // a ridge near the best, such as that of features of the same rows; 0: unknown
	Solved *Solved // the solution, if the search has computed it
	// Parts holds the part to which each row belongs. Of several equal rows, only those in the same part are left out together. If
	// Parts is nil, all equal rows are left out together.
	Parts []int
}

// Solved holds an unweighted machine that a search has computed.
type Solved struct {
	Kernel any
	Ridge  float64
	*Solution
	Shift []float64 // subtracted from the targets, and must be added to the biases
}

// Starting holds a [Start] for the next Fit of the machine that embeds it.
type Starting struct{ start Start }

// StartFrom sets the start of the next Fit, which clears it.
func (s *Starting) StartFrom(start Start) { s.start = start }

// TakeStart returns the value that StartFrom has set, and clears it.
func (s *Starting) TakeStart() Start {
	out := s.start
	s.start = Start{}
	return out
}

// StartFrom calls the method StartFrom of a machine, if it has one.
func StartFrom(machine any, start Start) {
	if m, ok := machine.(interface{ StartFrom(Start) }); ok {
		m.StartFrom(start)
	}
}
