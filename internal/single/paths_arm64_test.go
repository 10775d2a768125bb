//go:build !purego

package single

// onPaths calls f with vectors and without.
func onPaths(f func(path string)) {
	defer func() { hasVectors = true }()
	f("NEON")
	hasVectors = false
	f("plain")
}
