package filefuzz

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// The major types of RFC 8949, and the encodings of a few values.
const (
	unsigned = iota
	negative
	byteString
	textString
	array
	dict
	tagged
	other

	falseValue  = 20
	trueValue   = 21
	nullValue   = 22
	single      = 26
	double      = 27
	floatsTag   = 86
	magic       = "KELN"
	checksum    = sha256.Size
	fixedHeader = 4 + 1 + 1 + 2 + 8
)

// node is a CBOR or JSON value in a file.
type node struct {
	major  byte
	info   byte   // the kind of a value of major type other
	n      uint64 // argument of an integer, bits of a float, or number of a tag
	data   []byte // content of a string
	floats bool   // data holds little-endian numbers
	file   *file  // the file in data
	json   *node  // the JSON in data
	kids   []*node
	length *uint64 // written instead of the correct length
}

// file is an envelope of package codec.
type file struct {
	kind    string
	version uint16
	body    *node
}

// openFile reads an envelope. It returns nil if data is not one.
func openFile(data []byte) *file {
	if len(data) < fixedHeader+checksum || string(data[:4]) != magic {
		return nil
	}
	k := int(data[5])
	if len(data) < fixedHeader+k+checksum || binary.LittleEndian.Uint64(data[8+k:]) != uint64(len(data)-fixedHeader-k-checksum) {
		return nil
	}
	body, rest, ok := parse(data[fixedHeader+k : len(data)-checksum])
	if !ok || len(rest) > 0 {
		return nil
	}
	return &file{string(data[6 : 6+k]), binary.LittleEndian.Uint16(data[6+k:]), body}
}

// encode writes the envelope with a valid checksum.
func (f *file) encode() []byte {
	kind := f.kind[:min(len(f.kind), math.MaxUint8)]
	body := f.body.encode(nil)
	out := append([]byte(magic), 1, byte(len(kind)))
	out = append(out, kind...)
	out = binary.LittleEndian.AppendUint16(out, f.version)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(body)))
	out = append(out, body...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// parse reads one CBOR value with definite lengths. It returns false if there is none.
func parse(data []byte) (v *node, rest []byte, ok bool) {
	if len(data) == 0 {
		return nil, nil, false
	}
	v = &node{major: data[0] >> 5, info: data[0] & 31}
	data = data[1:]
	v.n = uint64(v.info)
	if v.info >= 24 {
		size := 1 << (v.info - 24)
		if v.info > 27 || len(data) < size {
			return nil, nil, false
		}
		var long [8]byte
		copy(long[8-size:], data)
		v.n, data = binary.BigEndian.Uint64(long[:]), data[size:]
	}
	count := uint64(0)
	switch v.major {
	case byteString, textString:
		if v.n > uint64(len(data)) {
			return nil, nil, false
		}
		v.data, data = data[:v.n], data[v.n:]
		if v.major == byteString {
			v.parse()
		}
		return v, data, true
	case array:
		count = v.n
	case dict:
		count = 2 * v.n
	case tagged:
		count = 1
	}
	if count > 2*uint64(len(data)) {
		return nil, nil, false
	}
	for range count {
		var kid *node
		if kid, data, ok = parse(data); !ok {
			return nil, nil, false
		}
		v.kids = append(v.kids, kid)
	}
	if v.major == tagged && v.n == floatsTag && v.kids[0].major == byteString {
		v.kids[0].floats, v.kids[0].file, v.kids[0].json = true, nil, nil
	}
	return v, data, true
}

// parse parses the content of a byte string.
func (v *node) parse() {
	if v.file = openFile(v.data); v.file == nil && len(v.data) > 1 && v.data[0] == '{' {
		v.json = parseJSON(v.data)
	}
}

func (v *node) head(out []byte, n uint64) []byte {
	if v.length != nil {
		n = *v.length
	}
	first := v.major << 5
	switch {
	case n < 24:
		return append(out, first|byte(n))
	case n <= math.MaxUint8:
		return append(out, first|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(out, first|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(out, first|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(out, first|27), n)
}

// content returns the encoded content of a string.
func (v *node) content() []byte {
	switch {
	case v.file != nil:
		return v.file.encode()
	case v.json != nil:
		return v.json.encodeJSON(nil)
	}
	return v.data
}

func (v *node) encode(out []byte) []byte {
	switch v.major {
	case byteString, textString:
		data := v.content()
		return append(v.head(out, uint64(len(data))), data...)
	case array:
		out = v.head(out, uint64(len(v.kids)))
	case dict:
		out = v.head(out, uint64(len(v.kids)/2))
	case other:
		switch v.info {
		case single:
			return binary.BigEndian.AppendUint32(append(out, other<<5|single), uint32(v.n))
		case double:
			return binary.BigEndian.AppendUint64(append(out, other<<5|double), v.n)
		case 25:
			return binary.BigEndian.AppendUint16(append(out, other<<5|25), uint16(v.n))
		}
		return v.head(out, v.n)
	default:
		out = v.head(out, v.n)
	}
	for _, kid := range v.kids {
		out = kid.encode(out)
	}
	return out
}

// parseJSON reads a JSON value. It returns nil if data is not JSON.
func parseJSON(data []byte) *node {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := jsonValue(d)
	if err != nil || d.More() {
		return nil
	}
	return v
}

func jsonValue(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		v := &node{major: array}
		if token == '{' {
			v.major = dict
		}
		for d.More() {
			kid, err := jsonValue(d)
			if err != nil {
				return nil, err
			}
			v.kids = append(v.kids, kid)
		}
		_, err := d.Token()
		return v, err
	case string:
		return text(token), nil
	case json.Number:
		f, err := token.Float64()
		if err != nil {
			return nil, err
		}
		if i, err := token.Int64(); err == nil {
			return integer(i), nil
		}
		return float(f), nil
	case bool:
		if token {
			return simple(trueValue), nil
		}
		return simple(falseValue), nil
	case nil:
		return simple(nullValue), nil
	}
	return nil, fmt.Errorf("a token of %T", token)
}

func (v *node) encodeJSON(out []byte) []byte {
	switch v.major {
	case unsigned:
		return strconv.AppendUint(out, v.n, 10)
	case negative:
		return strconv.AppendInt(out, -1-int64(v.n&math.MaxInt64), 10)
	case byteString, textString:
		quoted, _ := json.Marshal(string(v.content())) // encoding a string does not fail
		return append(out, quoted...)
	case array:
		return v.members(append(out, '['), ']')
	case dict:
		return v.members(append(out, '{'), '}')
	case tagged:
		return v.kids[0].encodeJSON(out)
	}
	switch v.info {
	case falseValue:
		return append(out, "false"...)
	case trueValue:
		return append(out, "true"...)
	case double:
		f := math.Float64frombits(v.n)
		switch {
		case math.IsNaN(f):
			return append(out, "null"...)
		case math.IsInf(f, 1):
			return append(out, `"+Inf"`...)
		case math.IsInf(f, -1):
			return append(out, `-1e999`...)
		}
		return strconv.AppendFloat(out, f, 'g', -1, 64)
	}
	return append(out, "null"...)
}

func (v *node) members(out []byte, end byte) []byte {
	for i, kid := range v.kids {
		switch {
		case i == 0:
		case v.major == dict && i%2 == 1:
			out = append(out, ':')
		default:
			out = append(out, ',')
		}
		if v.major == dict && i%2 == 0 && kid.major != textString {
			out = append(out, `"key"`...)
			continue
		}
		out = kid.encodeJSON(out)
	}
	return append(out, end)
}

// clone copies a tree. Bytes are shared, since they are never modified.
func (v *node) clone() *node {
	out := *v
	if v.file != nil {
		f := *v.file
		f.body = f.body.clone()
		out.file = &f
	}
	if v.json != nil {
		out.json = v.json.clone()
	}
	out.kids = make([]*node, len(v.kids))
	for i, kid := range v.kids {
		out.kids[i] = kid.clone()
	}
	return &out
}

// all appends v and its descendants, including those in nested files.
func (v *node) all(out []*node) []*node {
	out = append(out, v)
	if v.file != nil {
		out = v.file.body.all(out)
	}
	if v.json != nil {
		out = v.json.all(out)
	}
	for _, kid := range v.kids {
		out = kid.all(out)
	}
	return out
}

func simple(n byte) *node   { return &node{major: other, info: n, n: uint64(n)} }
func float(f float64) *node { return &node{major: other, info: double, n: math.Float64bits(f)} }
func text(s string) *node   { return &node{major: textString, data: []byte(s)} }
func raw(data []byte) *node { return &node{major: byteString, data: data} }
func whole(n uint64) *node  { return &node{major: unsigned, n: n} }
func integer(i int64) *node {
	if i < 0 {
		return &node{major: negative, n: uint64(-1 - i)}
	}
	return whole(uint64(i))
}
