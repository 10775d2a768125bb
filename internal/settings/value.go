// Package settings checks and stores the configuration of a value, its exported fields. [Check] compares them with the ranges that
// their tags declare. [Encode] writes them as a self-describing tree. From the tree, [New] constructs a value with the same
// configuration, for types in package registry.
package settings

import (
	"encoding/binary"
	"math"
)

// Kind selects the fields of a Value that are in use.
type Kind uint8

// The kinds of Value.
const (
	Nothing Kind = iota // nil
	LeftOut             // cannot be stored: a function, or a value that contains one
	Bool
	Int
	Uint
	Float
	String
	Floats // a slice of numbers
	Matrix // a *mat.Dense
	Bytes  // the result of MarshalBinary
	List   // a slice or an array
	Pairs  // a map: key, value, key, value
	Struct // the nonzero fields of a struct
	Other  // a registered type that is not a struct: one element
)

// Value is a setting. Its encoded names are short, since files contain many of them.
type Value struct {
	Kind    Kind     `cbor:"k"`
	Type    string   `cbor:"t,omitempty"` // registered name of the type of an interface value
	Package string   `cbor:"p,omitempty"` // import path of its package
	Pointer bool     `cbor:"r,omitempty"` // the value is a pointer to the type
	Number  uint64   `cbor:"n,omitempty"` // bits of a bool, an integer or a number; rows of a matrix
	Text    string   `cbor:"x,omitempty"` // a string, or the text form of the value
	Bytes   []byte   `cbor:"b,omitempty"` // the content of Bytes, or little-endian numbers, row by row for a matrix
	Names   []string `cbor:"s,omitempty"` // names of the fields of a struct
	List    []Value  `cbor:"l,omitempty"`
}

// pack encodes numbers as bytes.
func pack(v []float64) []byte {
	out := make([]byte, 0, 8*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// unpack decodes the result of pack. It ignores an incomplete number at the end.
func unpack(b []byte) []float64 {
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// mostDepth limits the nesting of settings. The decoder reads 64 levels, and each setting takes two.
const mostDepth = 24
