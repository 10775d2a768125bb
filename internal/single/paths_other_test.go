//go:build !(amd64 || arm64) || purego

package single

// onPaths calls f on the only path.
func onPaths(f func(path string)) { f("plain") }
