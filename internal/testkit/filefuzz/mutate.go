package filefuzz

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// source returns the bytes of a fuzzer's input, followed by zeros.
type source struct{ data []byte }

func (s *source) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

// uniform returns a number below n, which must be positive.
func (s *source) uniform(n int) int {
	if n <= 256 {
		return int(s.byte()) % n
	}
	return (int(s.byte())<<16 | int(s.byte())<<8 | int(s.byte())) % n
}

var extremeFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, .5, 2, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, math.MaxFloat64, -math.MaxFloat64, 5e-324,
	-5e-324, 1e-308,
	1e-300, 1e150, -1e150, 1e155, 1e-150, 1e-17, 1 << 31, 1 << 53, 1 << 63, 1e17, 1 + 0x1p-52, 1 - 0x1p-53, 710, -745, 3,
}

var extremeIntegers = []int64{
	0, 1, -1, 2, 3, 4, 5, 7, -2, 10, 64, 100, 1000, 65535, 1e6, 1 << 26, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MaxUint32,
	1 << 40, 1 << 53, 1 << 61, 1 << 62,
	math.MaxInt64, math.MinInt64, math.MaxInt64 - 1,
}

// mutated returns a copy of a file's tree with the changes determined by the source.
func mutated(root *node, s *source) *node {
	root = root.clone()
	for range 1 + s.byte()%3 {
		nodes := root.all(nil)
		change(nodes[s.uniform(len(nodes))], nodes, s)
	}
	return root
}

// change replaces v.
func change(v *node, nodes []*node, s *source) {
	op := s.byte()
	switch {
	case op < 16: // replace it with another value of the file
		*v = *nodes[s.uniform(len(nodes))].clone()
		return
	case op < 24: // by exchange with another value
		with := nodes[s.uniform(len(nodes))]
		if a, b := v.clone(), with.clone(); len(a.all(nil))+len(b.all(nil)) < 1<<12 {
			*v, *with = *b, *a
		}
		return
	case op < 34:
		changeKind(v, s)
		return
	case op < 38: // deeply nested
		inner := v.clone()
		for range 1 + s.uniform(80) {
			inner = &node{major: array, kids: []*node{inner}}
		}
		*v = *inner
		return
	case op < 44: // a wrong length
		n := uint64(extremeIntegers[s.uniform(len(extremeIntegers))])
		v.length = &n
		return
	}
	switch v.major {
	case unsigned, negative:
		changeInteger(v, s)
	case byteString, textString:
		changeString(v, nodes, s)
	case array:
		changeList(v, 1, s)
	case dict:
		changeList(v, 2, s)
	case tagged:
		if op < 50 {
			v.n = uint64(extremeIntegers[s.uniform(len(extremeIntegers))])
			return
		}
		changeString(v.kids[0], nodes, s)
	case other:
		changeFloat(v, s)
	}
}

func changeKind(v *node, s *source) {
	switch s.byte() % 10 {
	case 0:
		*v = *simple(nullValue)
	case 1:
		*v = *simple(trueValue)
	case 2:
		*v = *text("x")
	case 3:
		*v = *raw([]byte{1, 2, 3})
	case 4:
		*v = node{major: array}
	case 5:
		*v = node{major: dict}
	case 6:
		*v = *integer(extremeIntegers[s.uniform(len(extremeIntegers))])
	case 7:
		*v = *float(extremeFloats[s.uniform(len(extremeFloats))])
	case 8:
		*v = node{major: tagged, n: floatsTag, kids: []*node{v.clone()}}
	case 9:
		*v = *simple(falseValue)
	}
}

func changeInteger(v *node, s *source) {
	value := int64(v.n)
	if v.major == negative {
		value = -1 - value
	}
	switch op := s.byte(); {
	case op < 64:
		value++
	case op < 128:
		value--
	case op < 144:
		value = -value
	case op < 160:
		*v = *whole(math.MaxUint64)
		return
	case op < 168:
		*v = *float(float64(value))
		return
	default:
		value = extremeIntegers[s.uniform(len(extremeIntegers))]
	}
	*v = *integer(value)
}

func changeFloat(v *node, s *source) {
	if v.info == double || v.info == single || v.info == 25 {
		f := math.Float64frombits(v.n)
		if v.info != double {
			f = 1 // small numbers have a short encoding
		}
		*v = *float(changedFloat(f, s))
		return
	}
	*v = *simple([]byte{falseValue, trueValue, nullValue, 23, 19}[s.uniform(5)])
}

func changedFloat(f float64, s *source) float64 {
	switch op := s.byte(); {
	case op < 24:
		return -f
	case op < 48:
		return f * 1e10
	case op < 72:
		return f * 1e-10
	case op < 96:
		return math.Nextafter(f, math.Inf(1))
	case op < 112:
		return f + 1
	}
	return extremeFloats[s.uniform(len(extremeFloats))]
}

// changeList drops, repeats and moves elements. Each element consists of the given number of nodes.
func changeList(v *node, each int, s *source) {
	count := len(v.kids) / each
	if count == 0 {
		for range each * (1 + s.uniform(3)) {
			v.kids = append(v.kids, integer(int64(s.byte())))
		}
		return
	}
	i, j := each*s.uniform(count), each*s.uniform(count)
	element := slices.Clone(v.kids[i : i+each])
	for k := range element {
		element[k] = element[k].clone()
	}
	switch s.byte() % 8 {
	case 0, 1:
		v.kids = slices.Delete(v.kids, i, i+each)
	case 2:
		v.kids = append(v.kids, element...)
	case 3:
		last := each - 1
		v.kids[i+last], v.kids[j+last] = v.kids[j+last], v.kids[i+last]
	case 4:
		if each == 2 { // a name
			v.kids[i] = text([]string{"", "x", "Extra", string(bytes.ToLower(v.kids[i].data)), string(v.kids[j].data)}[s.uniform(5)])
			return
		}
		v.kids = v.kids[:0]
	case 5:
		v.kids = v.kids[:i]
	case 6:
		if s.byte() < 32 { // rarely many copies of a small element, because they are expensive
			size := 0
			for _, e := range element {
				size += len(e.encode(nil))
			}
			for range min(1<<(4+s.uniform(9)), 1<<16/size) {
				for _, e := range element { // copies, since a later change in a shared node would affect all of them
					v.kids = append(v.kids, e.clone())
				}
			}
			return
		}
		v.kids = slices.Insert(v.kids, i, element...)
	case 7:
		slices.Reverse(v.kids)
		if each == 2 { // names stay in front of their values
			for k := 0; k < len(v.kids); k += 2 {
				v.kids[k], v.kids[k+1] = v.kids[k+1], v.kids[k]
			}
		}
	}
}

// mostRepeated limits the bytes that a change adds by repetition, since changes multiply.
const mostRepeated = 1 << 18

// changeString changes a text, numbers, bytes, or the envelope of a file.
func changeString(v *node, nodes []*node, s *source) {
	if v.file != nil {
		f := v.file
		switch op := s.byte(); {
		case op < 64:
			f.version += uint16(op) - 32
		case op < 96:
			f.kind = "x" + f.kind
		case op < 128:
			cut := v.content()
			v.data, v.file = cut[:s.uniform(len(cut))], nil
		case op < 160:
			v.data, v.file = nil, nil
		default:
			change(f.body, nodes, s)
		}
		return
	}
	if v.json != nil {
		change(v.json, nodes, s)
		return
	}
	if v.floats && len(v.data) >= 8 {
		changeFloats(v, s)
		return
	}
	data := bytes.Clone(v.data)
	switch s.byte() % 8 {
	case 0:
		data = nil
	case 1:
		data = append(data, data[:min(len(data), mostRepeated)]...)
	case 2:
		data = append(data, s.byte())
	case 3:
		if len(data) > 0 {
			data = data[:s.uniform(len(data))]
		}
	case 4:
		with := nodes[s.uniform(len(nodes))]
		data = bytes.Clone(with.data)
	case 5:
		data = append(data, 'a')
		data = bytes.Repeat(data, 1+min(s.uniform(2000), mostRepeated/len(data)))
	default:
		if len(data) > 0 {
			data[s.uniform(len(data))] ^= 1 << (s.byte() % 8)
		}
	}
	v.data = data
}

// changeFloats changes an array of numbers.
func changeFloats(v *node, s *source) {
	values := make([]float64, len(v.data)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(v.data[8*i:]))
	}
	i, j := s.uniform(len(values)), s.uniform(len(values))
	switch op := s.byte(); {
	case op < 128:
		values[i] = changedFloat(values[i], s)
	case op < 144:
		f := extremeFloats[s.uniform(len(extremeFloats))]
		for k := range values {
			values[k] = f
		}
	case op < 160:
		f := extremeFloats[s.uniform(len(extremeFloats))]
		for k := range values {
			values[k] *= f
		}
	case op < 176:
		values[i], values[j] = values[j], values[i]
	case op < 192:
		values[i] = values[j]
	case op < 208:
		values = append(values, values[i])
	case op < 216:
		values = values[:i]
	case op < 224:
		values = values[1:]
	case op < 232:
		values = append(values, values...)
	case op < 240:
		slices.Sort(values)
	case op < 248:
		v.data = v.data[:len(v.data)-1-s.uniform(7)]
		return
	default:
		values = nil
	}
	v.data = make([]byte, 0, 8*len(values))
	for _, f := range values {
		v.data = binary.LittleEndian.AppendUint64(v.data, math.Float64bits(f))
	}
}
