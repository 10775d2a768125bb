//go:build !(amd64 || arm64) || purego

package single

// vectorDistances does no rows and no columns.
func (*Rows) vectorDistances([]float32, way, Window, []float32) (rows, columns int) { return 0, 0 }

// expVector computes the first elements of what Exp does, and returns how many.
func expVector([]float32, float32) int { return 0 }

// maternVector computes the first elements of what Matern does, and returns how many.
func maternVector(_ []float32, _, _, _ float32) int { return 0 }

// finiteVector looks at the first elements, and returns at how many.
func finiteVector([]float32) (done int, finite bool) { return 0, true }

// scaleVector computes the first elements of what Scale does, and returns how many.
func scaleVector([]float32, float32) int { return 0 }

const hasVectors = false
