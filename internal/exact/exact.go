// Package exact sums numbers and their squares without rounding, so that a sum depends neither on the order of its terms nor on
// their grouping.
package exact

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// unit is the exponent of two of the lowest bit of a sum, which is that of the square of the smallest number.
const unit = -2 * 1074

// most is the largest number of limbs of any sum, which is that of 2⁶³ squares of the largest number.
const most = (2*1024-unit+63)/64 + 3

// Sum is an exact sum of float64 numbers or of their squares. It is an integer in two's complement with as many limbs as the terms
// needed so far. The zero value is 0.
type Sum struct {
	low   int      // the first limb is in units of 2^(64·low + unit)
	limbs []uint64 // the last limb contains only the sign: 0 or all ones
}

// Add adds a finite number.
func (s *Sum) Add(v float64) {
	mantissa, e := split(v)
	s.add(e, 0, mantissa, v < 0)
}

// AddSquare adds the square of a finite number.
func (s *Sum) AddSquare(v float64) {
	mantissa, e := split(v)
	hi, lo := bits.Mul64(mantissa, mantissa)
	s.add(2*e, hi, lo, false)
}

// split returns |v| as an integer times 2^e.
func split(v float64) (mantissa uint64, e int) {
	b := math.Float64bits(v)
	mantissa, e = b&(1<<52-1), int(b>>52&0x7ff)
	if e == 0 {
		return mantissa, -1074
	}
	return mantissa | 1<<52, e - 1075
}

// add adds ±(hi 2⁶⁴ + lo) 2^e.
func (s *Sum) add(e int, hi, lo uint64, negative bool) {
	if hi|lo == 0 {
		return
	}
	at := e - unit
	i, shift := at>>6, uint(at&63)
	s.cover(i, 3)
	w := s.limbs[i-s.low:]
	terms := [3]uint64{lo << shift, hi<<shift | lo>>(64-shift), hi >> (64 - shift)}
	carry := uint64(0)
	for k := range w {
		t := uint64(0)
		if k < len(terms) {
			t = terms[k]
		} else if carry == 0 {
			break
		}
		if negative {
			w[k], carry = bits.Sub64(w[k], t, carry)
		} else {
			w[k], carry = bits.Add64(w[k], t, carry)
		}
	}
	s.extend()
}

// cover extends the limbs so that they include count limbs from limb i on, and a sign.
func (s *Sum) cover(i, count int) {
	if len(s.limbs) == 0 {
		s.low = i
		s.limbs = make([]uint64, count+1)
		return
	}
	if i < s.low {
		s.limbs = append(make([]uint64, s.low-i, s.low-i+len(s.limbs)), s.limbs...)
		s.low = i
	}
	for len(s.limbs) < i-s.low+count+1 {
		s.limbs = append(s.limbs, s.sign())
	}
}

// sign returns the last limb.
func (s *Sum) sign() uint64 {
	if len(s.limbs) == 0 {
		return 0
	}
	return uint64(int64(s.limbs[len(s.limbs)-1]) >> 63)
}

// extend appends a sign limb if the last limb is no longer a sign.
func (s *Sum) extend() {
	if sign := s.sign(); s.limbs[len(s.limbs)-1] != sign {
		s.limbs = append(s.limbs, sign)
	}
}

// Merge adds another sum.
func (s *Sum) Merge(o Sum) {
	if len(o.limbs) == 0 {
		return
	}
	s.cover(o.low, len(o.limbs))
	w, sign, carry := s.limbs[o.low-s.low:], o.sign(), uint64(0)
	for k := range w {
		t := sign
		if k < len(o.limbs) {
			t = o.limbs[k]
		}
		w[k], carry = bits.Add64(w[k], t, carry)
	}
	s.extend()
}

// Unmerge subtracts another sum, exactly.
func (s *Sum) Unmerge(o Sum) {
	if len(o.limbs) == 0 {
		return
	}
	s.cover(o.low, len(o.limbs))
	w, sign, borrow := s.limbs[o.low-s.low:], o.sign(), uint64(0)
	for k := range w {
		t := sign
		if k < len(o.limbs) {
			t = o.limbs[k]
		}
		w[k], borrow = bits.Sub64(w[k], t, borrow)
	}
	s.extend()
}

// Clone returns a copy that shares no memory.
func (s Sum) Clone() Sum {
	s.limbs = append([]uint64(nil), s.limbs...)
	return s
}

// Float returns the sum as a big.Float, with a precision at which it is exact.
func (s Sum) Float() *big.Float {
	n := new(big.Int)
	negative := s.sign() != 0
	var b []byte
	carry := uint64(1)
	for _, l := range s.limbs {
		if negative {
			l, carry = bits.Add64(^l, 0, carry)
		}
		b = binary.LittleEndian.AppendUint64(b, l)
	}
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	n.SetBytes(b)
	if negative {
		n.Neg(n)
	}
	f := new(big.Float).SetInt(n)
	return f.SetMantExp(f, 64*s.low+unit)
}

// MarshalBinary encodes the sum in a canonical form, which depends only on its value.
func (s Sum) MarshalBinary() ([]byte, error) {
	limbs, low, sign := s.limbs, s.low, s.sign()
	for len(limbs) > 0 && limbs[0] == 0 {
		limbs, low = limbs[1:], low+1
	}
	for len(limbs) > 1 && limbs[len(limbs)-1] == sign && uint64(int64(limbs[len(limbs)-2])>>63) == sign {
		limbs = limbs[:len(limbs)-1]
	}
	if len(limbs) == 0 {
		return nil, nil
	}
	out := binary.LittleEndian.AppendUint16(nil, uint16(low))
	for _, l := range limbs {
		out = binary.LittleEndian.AppendUint64(out, l)
	}
	return out, nil
}

// UnmarshalBinary decodes the result of MarshalBinary into new memory.
func (s *Sum) UnmarshalBinary(data []byte) error {
	if len(data) == 0 {
		*s = Sum{}
		return nil
	}
	if len(data)%8 != 2 || len(data) < 10 {
		return fmt.Errorf("%d bytes do not encode a sum", len(data))
	}
	out := Sum{low: int(binary.LittleEndian.Uint16(data))}
	for data = data[2:]; len(data) > 0; data = data[8:] {
		out.limbs = append(out.limbs, binary.LittleEndian.Uint64(data))
	}
	if out.low+len(out.limbs) > most {
		return fmt.Errorf("a sum of %d limbs from the %d-th on, want at most %d", len(out.limbs), out.low, most)
	}
	out.extend()
	*s = out
	return nil
}
