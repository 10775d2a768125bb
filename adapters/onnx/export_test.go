package onnx

// SetMostBytes sets the limit of a file and returns the previous one.
func SetMostBytes(n int64) (before int64) {
	before, mostBytes = mostBytes, n
	return before
}
