// Package anyrows provides functions for rows that may be dense (*mat.Dense) or sparse (*sparse.Rows).
package anyrows

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/sparse"
)

// From returns the rows of x, which the caller must not change. If x is sparse and wantSparse is set, the rows are sparse.
// Otherwise they are dense. It returns the errors of [check.Dense].
func From(name string, x mat.Matrix, wantSparse bool) (mat.Matrix, error) {
	if wantSparse && sparse.Is(x) {
		rows, err := sparse.From(name, x)
		if err != nil {
			return nil, err
		}
		return rows, nil
	}
	xd, err := check.Dense(name, x)
	if err != nil {
		return nil, err
	}
	return xd, nil
}

// Wide is like From, for rows that must have the number of columns to which a model was fitted.
func Wide(name string, x mat.Matrix, fitted int, wantSparse bool) (mat.Matrix, error) {
	rows, err := From(name, x, wantSparse)
	if err != nil {
		return nil, err
	}
	if _, d := rows.Dims(); d != fitted {
		return nil, fault.Columns(name, d, fitted)
	}
	return rows, nil
}

// Copy returns rows that do not change if x changes. Sparse rows are immutable and need no copy.
func Copy(x mat.Matrix) mat.Matrix {
	if rows, ok := x.(*sparse.Rows); ok {
		return rows
	}
	return mat.DenseCopyOf(x)
}

// Pick returns a copy of the rows with the given numbers.
func Pick(x mat.Matrix, numbers []int) mat.Matrix {
	if rows, ok := x.(*sparse.Rows); ok {
		return rows.Pick(numbers)
	}
	return linalg.Rows(x.(*mat.Dense), numbers)
}

// Slice returns the rows from first to before last, which share memory with x.
func Slice(x mat.Matrix, first, last int) mat.Matrix {
	if rows, ok := x.(*sparse.Rows); ok {
		return rows.Slice(first, last)
	}
	_, d := x.Dims()
	return x.(*mat.Dense).Slice(first, last, 0, d)
}

// Merge merges equal rows. It returns how they were merged, and the distinct rows.
func Merge(x mat.Matrix, weights []float64) (*distinct.Rows, mat.Matrix) {
	if rows, ok := x.(*sparse.Rows); ok {
		return distinct.MergeSparse(rows, weights)
	}
	merged := distinct.Merge(x.(*mat.Dense), weights)
	return merged, merged.X
}
