package codec

import "github.com/kernelearn/kernelearn/sparse"

// SparseRows is the form of sparse rows in a file.
type SparseRows struct {
	Columns int
	Start   []int
	Column  []int
	Value   Floats
}

// FromSparse returns a copy of rows. If rows is nil, it returns nil.
func FromSparse(rows *sparse.Rows) *SparseRows {
	if rows == nil {
		return nil
	}
	n, d := rows.Dims()
	out := &SparseRows{Columns: d, Start: []int{0}}
	for i := range n {
		columns, values := rows.Row(i)
		out.Column, out.Value = append(out.Column, columns...), append(out.Value, values...)
		out.Start = append(out.Start, len(out.Column))
	}
	return out
}

// Rows returns the sparse rows. If s is nil, it returns nil.
func (s *SparseRows) Rows() (*sparse.Rows, error) {
	if s == nil {
		return nil, nil
	}
	return sparse.NewRows(s.Columns, s.Start, s.Column, s.Value)
}
