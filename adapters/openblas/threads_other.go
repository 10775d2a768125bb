//go:build !unix

package openblas

// surroundTasks does nothing: OpenBLAS is asked for its threads on Unix only.
func surroundTasks() {}
