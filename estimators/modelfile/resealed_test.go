package modelfile_test

import "crypto/sha256"

// resealed returns the file with a corrected checksum, which is at its end.
func resealed(data []byte) []byte {
	body := data[:len(data)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(body[:len(body):len(body)], sum[:]...)
}
