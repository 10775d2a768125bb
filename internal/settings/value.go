// Package settings checks and stores the configuration of a value, its exported fields. [Check] compares them with the ranges that
// their tags declare. [Encode] writes them as a tree that says what it holds, and [New] makes an equally configured value of
// it, of types that package registry knows.
package settings

import (
	"encoding/binary"
	"math"
)

// Kind says which of the fields of a Value counts.
type Kind uint8

// The kinds of Value.
const (
	Nothing Kind = iota // a nil
	LeftOut             // what cannot be stored: a function, or what holds one
	Bool
	Int
	Uint
	Float
	String
	Floats // a slice of numbers
	Matrix // a *mat.Dense
	Bytes  // what MarshalBinary gave
	List   // a slice or an array
	Pairs  // a map: key, value, key, value
	Struct // its fields that are not zero
	Other  // of a registered type that is no struct: one element
)

// Value is a setting. Names are short, for there are many.
type Value struct {
	Kind    Kind     `cbor:"k"`
	Type    string   `cbor:"t,omitempty"` // as it is registered, of what stands in an interface
	Package string   `cbor:"p,omitempty"` // that registers it
	Pointer bool     `cbor:"r,omitempty"` // to that type
	Number  uint64   `cbor:"n,omitempty"` // the bits of a bool, an integer or a number; the rows of a matrix
	Text    string   `cbor:"x,omitempty"` // of a string; or what the value says of itself
	Bytes   []byte   `cbor:"b,omitempty"` // of Bytes; or numbers, little-endian, row after row of a matrix
	Names   []string `cbor:"s,omitempty"` // of the fields of a struct
	List    []Value  `cbor:"l,omitempty"`
}

// pack returns numbers as bytes.
func pack(v []float64) []byte {
	out := make([]byte, 0, 8*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// unpack is the inverse for a length that 8 divides, and of others leaves out the rest.
func unpack(b []byte) []float64 {
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// mostDepth bounds how deep settings are within each other. The decoder reads 64 levels, of which each takes two.
const mostDepth = 24
