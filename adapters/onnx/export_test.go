package onnx

// SetMostBytes sets the largest size of a file and returns the previous value.
func SetMostBytes(n int64) (before int64) {
	before, mostBytes = mostBytes, n
	return before
}
