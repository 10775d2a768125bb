package modelfile_test

import "crypto/sha256"

// resealed returns a file with its last bytes, the checksum, corrected.
func resealed(data []byte) []byte {
	body := data[:len(data)-sha256.Size]
	sum := sha256.Sum256(body)
	return append(body[:len(body):len(body)], sum[:]...)
}
