// Package codec implements the file format of fitted values: an envelope with a kind, a version and a checksum around a CBOR
// payload (RFC 8949). For any input, reading never panics and never allocates more than a small multiple of the input's length.
//
//	offset  size  field
//	0       4     magic "KELN"
//	4       1     format of the envelope, 1
//	5       1     length of the kind, k
//	6       k     kind, for example "lssvm.Regressor"
//	6+k     2     version of the payload, little-endian
//	8+k     8     length of the payload, little-endian, p
//	16+k    p     payload
//	16+k+p  32    SHA-256 of everything before it
package codec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"

	"github.com/fxamacker/cbor/v2"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

const (
	magic          = "KELN"
	envelopeFormat = 1
	checksumSize   = sha256.Size
	fixedSize      = 4 + 1 + 1 + 2 + 8
	// floatsTag is the CBOR tag of an array of little-endian float64 (RFC 8746).
	floatsTag = 86
)

var (
	encMode = mustEnc(cbor.EncOptions{Sort: cbor.SortCoreDeterministic})
	decMode = mustDec(cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		MaxNestedLevels:   64,
		MaxArrayElements:  1 << 26,
		MaxMapPairs:       1 << 16,
		IndefLength:       cbor.IndefLengthForbidden, // Marshal writes no indefinite lengths, and checkBudget needs lengths
	})
)

func mustEnc(o cbor.EncOptions) cbor.EncMode {
	m, err := o.EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return m
}

func mustDec(o cbor.DecOptions) cbor.DecMode {
	m, err := o.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return m
}

// Marshal writes payload, a struct of exported fields, into an envelope. It returns an ErrParam error for text that is not UTF-8.
func Marshal(kind string, version int, payload any) ([]byte, error) {
	if len(kind) == 0 || len(kind) > math.MaxUint8 || version < 0 || version > math.MaxUint16 {
		return nil, fmt.Errorf("codec: kind %q version %d cannot be written", kind, version)
	}
	body, err := encMode.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	if text, ok := notUTF8(body); ok { // reading would refuse it
		return nil, fault.Param(kind, "a text", strconv.Quote(text), "UTF-8")
	}
	out := make([]byte, 0, fixedSize+len(kind)+len(body)+checksumSize)
	out = append(out, magic...)
	out = append(out, envelopeFormat, byte(len(kind)))
	out = append(out, kind...)
	out = binary.LittleEndian.AppendUint16(out, uint16(version))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(body)))
	out = append(out, body...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// Unmarshal reads an envelope written by Marshal into payload, a pointer to a struct, and returns the payload's version, which is
// at most maxVersion. Every error wraps ErrBadModel. The caller must still validate the fields of the payload, because a checksum
// is not a signature.
func Unmarshal(data []byte, kind string, maxVersion int, payload any) (version int, err error) {
	got, version, body, err := open(data, kind)
	if err != nil {
		return 0, err
	}
	if got != kind {
		return 0, fault.BadModel(kind, "the data holds a %s", got)
	}
	if version > maxVersion {
		return 0, fault.BadModel(kind, "written by a newer release: version %d, this release reads up to %d", version, maxVersion)
	}
	if err := checkBudget(body, reflect.TypeOf(payload)); err != nil {
		return 0, fault.BadModel(kind, "%v", err)
	}
	if err := decMode.Unmarshal(body, payload); err != nil {
		return 0, fault.BadModel(kind, "%v", err)
	}
	return version, nil
}

func open(data []byte, want string) (kind string, version int, body []byte, err error) {
	if len(data) < fixedSize+checksumSize {
		return "", 0, nil, fault.BadModel(want, "truncated: %d bytes, want at least %d", len(data), fixedSize+checksumSize)
	}
	if string(data[:4]) != magic {
		return "", 0, nil, fault.BadModel(want, "not a kernelearn model: it begins with %q, want %q", data[:4], magic)
	}
	if data[4] != envelopeFormat {
		return "", 0, nil, fault.BadModel(want, "envelope format %d, this release reads %d", data[4], envelopeFormat)
	}
	k := int(data[5])
	if len(data) < fixedSize+k+checksumSize {
		return "", 0, nil, fault.BadModel(want, "truncated in its header")
	}
	length := binary.LittleEndian.Uint64(data[8+k:])
	switch have := uint64(len(data) - fixedSize - k - checksumSize); {
	case length > have:
		return "", 0, nil, fault.BadModel(want, "truncated: payload of %d bytes announced, %d found", length, have)
	case length < have:
		return "", 0, nil, fault.BadModel(want, "payload of %d bytes announced, %d found", length, have)
	}
	if deep := nested(data); deep > maxNested {
		return "", 0, nil, fault.BadModel(want, "%d nested models, limit %d", deep, maxNested)
	}
	end := len(data) - checksumSize
	if sum := sha256.Sum256(data[:end]); string(sum[:]) != string(data[end:]) {
		return "", 0, nil, fault.BadModel(want, "checksum does not match: the data was changed")
	}
	return string(data[6 : 6+k]), int(binary.LittleEndian.Uint16(data[6+k:])), data[16+k : end], nil
}

// Floats is a vector that is encoded as one little-endian byte string.
type Floats []float64

// MarshalCBOR implements cbor.Marshaler.
func (f Floats) MarshalCBOR() ([]byte, error) {
	raw := make([]byte, 8*len(f))
	for i, v := range f {
		binary.LittleEndian.PutUint64(raw[8*i:], math.Float64bits(v))
	}
	return encMode.Marshal(cbor.Tag{Number: floatsTag, Content: raw})
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (f *Floats) UnmarshalCBOR(data []byte) error {
	var t cbor.RawTag
	if err := decMode.Unmarshal(data, &t); err != nil {
		return err
	}
	var raw []byte
	if err := decMode.Unmarshal(t.Content, &raw); err != nil {
		return err
	}
	if t.Number != floatsTag || len(raw)%8 != 0 {
		return fmt.Errorf("tag %d with %d bytes is not a vector of float64", t.Number, len(raw))
	}
	out := make([]float64, len(raw)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	*f = out
	return nil
}

// Finite reports whether all entries are finite.
func (f Floats) Finite() bool {
	for _, v := range f {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// FromSym returns the upper triangle of m, row by row. If m is nil, it returns nil.
func FromSym(m *mat.SymDense) (out Floats) {
	if m == nil {
		return nil
	}
	n := m.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			out = append(out, m.At(i, j))
		}
	}
	return out
}

// Sym is the inverse of FromSym for order n. For n = 0 it returns nil. ok is false if the length does not match or a value is not
// finite.
func (f Floats) Sym(n int) (m *mat.SymDense, ok bool) {
	if n < 0 || float64(len(f)) != float64(n)*(float64(n)+1)/2 || !f.Finite() {
		return nil, false
	}
	if n == 0 {
		return nil, true
	}
	m = mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			m.SetSym(i, j, f[0])
			f = f[1:]
		}
	}
	return m, true
}

// Matrix is a dense matrix, stored by row. The zero Matrix stands for a nil matrix.
type Matrix struct {
	Rows, Cols int
	Data       Floats
}

// FromDense returns a copy of m. If m is nil, it returns the zero Matrix.
func FromDense(m *mat.Dense) Matrix {
	if m == nil || m.IsEmpty() {
		return Matrix{}
	}
	r, c := m.Dims()
	out := Matrix{Rows: r, Cols: c, Data: make(Floats, 0, r*c)}
	for i := range r {
		out.Data = append(out.Data, m.RawRowView(i)...)
	}
	return out
}

// Dense returns a matrix that shares m's data, or nil for the zero Matrix. It returns an error if the dimensions do not match the
// data or a value is not finite.
func (m Matrix) Dense() (*mat.Dense, error) {
	if m.Rows == 0 && m.Cols == 0 && len(m.Data) == 0 {
		return nil, nil
	}
	if m.Rows < 1 || m.Cols < 1 {
		return nil, fmt.Errorf("a matrix of %d×%d", m.Rows, m.Cols)
	}
	// The product of two hostile dimensions can overflow to len(m.Data).
	if hi, lo := bits.Mul64(uint64(m.Rows), uint64(m.Cols)); hi != 0 || lo != uint64(len(m.Data)) {
		return nil, fmt.Errorf("a matrix of %d×%d with %d values", m.Rows, m.Cols, len(m.Data))
	}
	if !m.Data.Finite() {
		return nil, fmt.Errorf("a matrix with a value that is not finite")
	}
	return mat.NewDense(m.Rows, m.Cols, m.Data), nil
}

// DenseGaps is like Dense, but allows NaN, a missing cell.
func (m Matrix) DenseGaps() (*mat.Dense, error) {
	filled := Matrix{Rows: m.Rows, Cols: m.Cols, Data: slices.Clone(m.Data)}
	for i, v := range filled.Data {
		if math.IsNaN(v) {
			filled.Data[i] = 0
		}
	}
	out, err := filled.Dense()
	if out != nil {
		copy(out.RawMatrix().Data, m.Data)
	}
	return out, err
}
