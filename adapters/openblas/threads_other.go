//go:build !unix

package openblas

// surroundTasks does nothing, since OpenBLAS's threads are only controlled on Unix.
func surroundTasks() {}
