//go:build !purego

package simdblas

// A view is a matrix whose element (i, j) is data[i*row+j*column]; one of the two strides
// is 1.
type view struct {
	data        []float64
	row, column int
}

// stored is the view of a row-major matrix, or of its transpose.
func stored(a []float64, lda int, transposed bool) view {
	if transposed {
		return view{a, 1, lda}
	}
	return view{a, lda, 1}
}

func (v view) transposed() view { return view{v.data, v.column, v.row} }

// from is the view whose element (0, 0) is v's (i, j).
func (v view) from(i, j int) view {
	return view{v.data[i*v.row+j*v.column:], v.row, v.column}
}

// pack copies rows of v, k numbers of each, to where the micro-kernels want them: in panels
// of width rows, each of them by columns, so that element (i, j) of a panel is at
// dst[j*width+i]. The last panel is filled up with zeros.
func pack(dst []float64, v view, rows, k, width int) {
	for i := 0; i < rows; i += width {
		packPanel(dst[i*k:(i+width)*k], v.from(i, 0), min(width, rows-i), k, width)
	}
}

func packPanel(dst []float64, v view, rows, k, width int) {
	if rows < width {
		clear(dst)
	}
	fours := rows &^ 3
	if v.row == 1 {
		if fours > 0 {
			copyRows(k, fours, &v.data[0], v.column, &dst[0], width)
		}
	} else {
		for i := 0; i < fours; i += 4 {
			if k >= 4 {
				transposeBlocks(k/4, &v.data[i*v.row], v.row, 4, &dst[i], width, 4*width)
			}
			for j := k &^ 3; j < k; j++ {
				for r := i; r < i+4; r++ {
					dst[j*width+r] = v.data[r*v.row+j]
				}
			}
		}
	}
	for i := fours; i < rows; i++ {
		for j := range k {
			dst[j*width+i] = v.data[i*v.row+j*v.column]
		}
	}
}
