package search

import (
	"fmt"
)

// Point is a choice of a search: the kernel of a family at Param, or a candidate.
type Point struct {
	// Param is the parameter. It is NaN for a candidate.
	Param float64 `json:"param"`

	// Candidate is the position of the candidate, from 0. It is [NoCandidate] for a kernel.
	Candidate int `json:"candidate"`
}

// NoCandidate is the Candidate of a Point that is a kernel.
const NoCandidate = -1

// ParamPoint returns the Point of a family's parameter.
func ParamPoint(param float64) Point { return Point{Param: param, Candidate: NoCandidate} }

// CandidatePoint returns the Point of a candidate, numbered from 0.
func CandidatePoint(number int) Point { return Point{Param: missing, Candidate: number} }

// IsCandidate reports whether p is a candidate rather than a kernel.
func (p Point) IsCandidate() bool { return p.Candidate >= 0 }

// String returns the parameter, or the candidate's number.
func (p Point) String() string {
	if p.IsCandidate() {
		return fmt.Sprintf("candidate %d", p.Candidate)
	}
	return fmt.Sprintf("%.4g", p.Param)
}

// Equal reports whether p and q are the same kernel or the same candidate. Unlike ==, it is true for equal candidates, whose Param
// is NaN.
func (p Point) Equal(q Point) bool {
	return p.Candidate == q.Candidate && (p.IsCandidate() || p.Param == q.Param)
}
