package text

import (
	"cmp"
	"context"

	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/sparse"
)

const hashingType = "text: Hashing"

// defaultColumns is the number of columns of scikit-learn's HashingVectorizer.
const defaultColumns = 1 << 20

// Hashing adds each term of a document to the column of its hash. It needs no vocabulary, so documents may arrive one at a time,
// with any terms. The hash h of a term is the 32-bit MurmurHash3 with seed 0, as a signed number. Its column is |h| modulo Columns.
// Its count is added there with the sign of h, so that the errors from terms in the same column cancel on average. A column does
// not identify its terms. The formulas and defaults are those of HashingVectorizer of scikit-learn.
//
// The zero value is ready to use. The time is proportional to the number of terms in the documents, and the memory to the number of
// entries in the rows.
//
// See also [TFIDF].
type Hashing struct {
	// Terms selects the terms.
	Terms Terms

	// Columns is the number of columns. If it is 0, 1048576 is used.
	Columns int `zero:"1048576" most:"2147483647"`

	// NoSigns adds counts without signs.
	NoSigns bool

	// Binary replaces the value of each column that has a term with 1.
	Binary bool

	// Norm is the norm by which rows are divided. The zero value is [L2].
	Norm Norm

	// MaxBytes limits the memory of the rows. If it is 0, 8 GiB is used.
	MaxBytes int64 `zero:"8 GiB"`

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used. The result does not depend on it.
	Workers int
}

// Transform returns a row for each document. It returns ErrParam, ErrShape without documents, ErrTooLarge above MaxBytes, or the
// error of ctx.
func (h *Hashing) Transform(ctx context.Context, documents []string) (_ *sparse.Rows, err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if err := settings.Check(hashingType, h); err != nil {
		return nil, err
	}
	a, err := h.Terms.analyzer()
	if err != nil {
		return nil, err
	}
	d := cmp.Or(h.Columns, defaultColumns)
	return (&vectorizer{typ: hashingType, d: d, limit: h.MaxBytes, workers: h.Workers, analyzer: a,
		column: func(term []byte) (int, float64, bool) {
			j, sign := columnOf(int32(murmur3(term)), d)
			if h.NoSigns {
				sign = 1
			}
			return j, sign, true
		},
		finish: func(_ []int, values []float64) {
			if h.Binary {
				for at := range values {
					values[at] = 1
				}
			}
			h.Norm.divide(values)
		},
	}).rows(ctx, documents)
}

// columnOf returns the column of a hash, and its sign.
func columnOf(hash int32, d int) (column int, sign float64) {
	wide, sign := int64(hash), 1.
	if wide < 0 {
		wide, sign = -wide, -1
	}
	return int(wide % int64(d)), sign
}

// murmur3 returns Austin Appleby's MurmurHash3_x86_32 with seed 0.
func murmur3(key []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	rotated := func(v uint32, by int) uint32 { return v<<by | v>>(32-by) }
	h, length := uint32(0), uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24
		h ^= rotated(k*c1, 15) * c2
		h = rotated(h, 13)*5 + 0xe6546b64
	}
	k := uint32(0)
	for i := len(key) - 1; i >= 0; i-- {
		k = k<<8 | uint32(key[i])
	}
	h ^= rotated(k*c1, 15) * c2
	h ^= length
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
