// Package gabasr learns a kernel with the function: the frequencies of its random Fourier
// features are sampled from their posterior.
package gabasr
