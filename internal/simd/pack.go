//go:build (amd64 || arm64) && !purego

package simd

// A view is a matrix whose element (i, j) is data[i*row+j*column]. One of the two strides is 1.
type view struct {
	data        []float64
	row, column int
}

// stored returns the view of a row-major matrix, or of its transpose.
func stored(a []float64, lda int, transposed bool) view {
	if transposed {
		return view{a, 1, lda}
	}
	return view{a, lda, 1}
}

func (v view) transposed() view { return view{v.data, v.column, v.row} }

// offset returns the view whose element (0, 0) is v's (i, j).
func (v view) offset(i, j int) view {
	return view{v.data[i*v.row+j*v.column:], v.row, v.column}
}

// An operand is a factor of a product: a view, or a symmetric matrix with one stored triangle.
type operand struct {
	view
	symmetric triangle // whole, or the stored triangle
}

// pack copies rows [i, i+rows) and columns [j, j+columns) into the layout of the micro-kernels: panels of width rows, stored by
// columns, so that element (r, c) of a panel is at dst[c*width+r]. The last panel is padded with zeros.
func (o operand) pack(dst []float64, i, rows, j, columns, width int) {
	for r := 0; r < rows; r += width {
		panel := dst[r*columns : (r+width)*columns]
		if o.symmetric == whole {
			packPanel(panel, width, o.offset(i+r, j), min(width, rows-r), columns)
		} else {
			o.packSymmetric(panel, i+r, min(width, rows-r), j, columns, width)
		}
	}
}

// packSymmetric packs one panel. It begins with the columns below the diagonal, continues with those that cross it, and ends with
// those above.
func (o operand) packSymmetric(dst []float64, i, rows, j, columns, width int) {
	below, above := o.view, o.view.transposed()
	if o.symmetric == upper {
		below, above = above, below
	}
	end := j + columns
	left, right := min(max(i, j), end), min(max(i+rows, j), end)
	if rows < width {
		clear(dst)
	}
	if j < left {
		packPanel(dst, width, below.offset(i, j), rows, left-j)
	}
	for c := left; c < right; c++ {
		for r := i; r < i+rows; r++ {
			v := below
			if c > r {
				v = above
			}
			dst[(c-j)*width+r-i] = v.data[r*v.row+c*v.column]
		}
	}
	if right < end {
		packPanel(dst[(right-j)*width:], width, above.offset(i, right), rows, end-right)
	}
}

// packPanel packs up to width rows of v into a panel. With a negative step the columns of the panel are in reverse order, and its
// width is -step.
func packPanel(dst []float64, step int, v view, rows, columns int) {
	width, first := step, 0
	if step < 0 {
		width, first = -step, (columns-1)*-step
	}
	if rows < width {
		clear(dst[:width*columns])
	}
	fours := rows &^ 3
	if v.row == 1 && fours > 0 {
		copyRows(columns, fours, &v.data[0], v.column, &dst[first], step)
	}
	if v.row != 1 {
		for r := 0; r < fours; r += 4 {
			if columns >= 4 {
				transposeBlocks(columns/4, &v.data[r*v.row], v.row, 4, &dst[first+r], step, 4*step)
			}
			for c := columns &^ 3; c < columns; c++ {
				for s := r; s < r+4; s++ {
					dst[first+c*step+s] = v.data[s*v.row+c]
				}
			}
		}
	}
	for r := fours; r < rows; r++ {
		for c := range columns {
			dst[first+c*step+r] = v.data[r*v.row+c*v.column]
		}
	}
}

// unpackPanel copies a panel back to v.
func unpackPanel(v view, src []float64, step, rows, columns int) {
	first := 0
	if step < 0 {
		first = (columns - 1) * -step
	}
	fours := rows &^ 3
	if v.row == 1 && fours > 0 {
		copyRows(columns, fours, &src[first], step, &v.data[0], v.column)
	}
	if v.row != 1 {
		for r := 0; r < fours; r += 4 {
			if columns >= 4 {
				transposeBlocks(columns/4, &src[first+r], step, 4*step, &v.data[r*v.row], v.row, 4)
			}
			for c := columns &^ 3; c < columns; c++ {
				for s := r; s < r+4; s++ {
					v.data[s*v.row+c] = src[first+c*step+s]
				}
			}
		}
	}
	for r := fours; r < rows; r++ {
		for c := range columns {
			v.data[r*v.row+c*v.column] = src[first+c*step+r]
		}
	}
}
