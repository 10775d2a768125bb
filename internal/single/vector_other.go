//go:build !(amd64 || arm64) || purego

package single

// vectorDistances computes nothing here.
func (*Rows) vectorDistances([]float32, way, Window, []float32) (rows, columns int) { return 0, 0 }

// expVector computes nothing here.
func expVector([]float32, float32) int { return 0 }

// maternVector computes nothing here.
func maternVector(_ []float32, _, _, _ float32) int { return 0 }

// finiteVector checks nothing here.
func finiteVector([]float32) (done int, finite bool) { return 0, true }

// scaleVector computes nothing here.
func scaleVector([]float32, float32) int { return 0 }

const hasVectors = false
