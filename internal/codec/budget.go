package codec

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// Reading may allocate one megabyte plus a multiple of the input's length.
const (
	budgetFactor = 64
	budgetFloor  = 1 << 20
)

// maxDepth limits the nesting of values, as MaxNestedLevels does in the decoder.
const maxDepth = 64

var (
	errMalformed = errors.New("malformed") // the decoder reports the cause
	errBudget    = errors.New("budget")
	errCount     = errors.New("a count over the largest int")
)

// checkBudget returns an error if decoding body into a value of type t would allocate more than the budget. For example, an array
// of a million elements of one byte each can stand for a million structs. Only the heads of values are read.
func checkBudget(body []byte, t reflect.Type) error {
	limit := budgetFactor*int64(len(body)) + budgetFloor
	w := walk{data: body, left: limit, types: map[reflect.Type]map[string]reflect.Type{}}
	switch err := w.value(t, 0); {
	case errors.Is(err, errBudget):
		return fmt.Errorf("%d bytes stand for more than %d", len(body), limit)
	case errors.Is(err, errCount): // the decoder would truncate the count to an int
		return err
	}
	return nil
}

// walk visits an encoded value together with the type into which it is decoded.
type walk struct {
	data  []byte
	left  int64 // remaining budget
	types map[reflect.Type]map[string]reflect.Type
}

func (w *walk) spend(bytes int64) error {
	if bytes < 0 || bytes > w.left {
		return errBudget
	}
	w.left -= bytes
	return nil
}

// head reads the head of a value. It returns the major type and the argument.
func (w *walk) head() (major byte, argument uint64, err error) {
	if len(w.data) == 0 {
		return 0, 0, errMalformed
	}
	first := w.data[0]
	w.data = w.data[1:]
	major, argument = first>>5, uint64(first&31)
	if argument < 24 {
		return major, argument, nil
	}
	size := 1 << (argument - 24)
	if argument > 27 || len(w.data) < size {
		return 0, 0, errMalformed // indefinite lengths are refused
	}
	var long [8]byte
	copy(long[8-size:], w.data)
	w.data = w.data[size:]
	return major, binary.BigEndian.Uint64(long[:]), nil
}

// These are the major types of RFC 8949 that are needed here.
const (
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5
	majorTag   = 6
	majorOther = 7
)

const null = 22 // a value of majorOther

var (
	ownCBOR   = reflect.TypeFor[cbor.Unmarshaler]()
	ownBinary = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// value skips one value that is decoded into t. A nil t means that the decoder ignores the value.
func (w *walk) value(t reflect.Type, depth int) error {
	if depth > maxDepth {
		return errMalformed
	}
	if t != nil && (reflect.PointerTo(t).Implements(ownCBOR) || reflect.PointerTo(t).Implements(ownBinary)) {
		before := len(w.data)
		err := w.value(nil, depth)
		return errors.Join(err, w.spend(3*int64(before-len(w.data)))) // for [Floats]: a copy, and the numbers
	}
	for t != nil && t.Kind() == reflect.Pointer {
		if len(w.data) > 0 && w.data[0] == majorOther<<5|null {
			break
		}
		t = t.Elem()
		if err := w.spend(int64(t.Size())); err != nil {
			return err
		}
	}
	major, n, err := w.head()
	if err != nil {
		return err
	}
	switch major {
	case majorBytes, majorText:
		if n > math.MaxInt {
			return errCount
		}
		if n > uint64(len(w.data)) {
			return errMalformed
		}
		w.data = w.data[n:]
		return w.spend(int64(n))
	case majorArray:
		return w.array(t, n, depth)
	case majorMap:
		return w.fields(t, n, depth)
	case majorTag:
		return w.value(t, depth+1)
	}
	return nil
}

func (w *walk) array(t reflect.Type, n uint64, depth int) error {
	if n > math.MaxInt {
		return errCount
	}
	if n > uint64(len(w.data)) {
		return errMalformed // an element takes at least one byte
	}
	var element reflect.Type
	size := int64(0)
	switch {
	case t == nil:
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		element = t.Elem()
		size = int64(element.Size())
	case t.Kind() == reflect.Interface:
		size = interfaceSize
	}
	if size > 0 && int64(n) > w.left/size {
		return errBudget
	}
	if err := w.spend(int64(n) * size); err != nil {
		return err
	}
	for range n {
		if err := w.value(element, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// interfaceSize is the approximate overhead of a value in an interface. entrySize is that of a map entry, without its key and
// value.
const (
	interfaceSize = 32
	entrySize     = 48
)

func (w *walk) fields(t reflect.Type, n uint64, depth int) error {
	if n > math.MaxInt {
		return errCount
	}
	if n > uint64(len(w.data)) {
		return errMalformed
	}
	for range n {
		var of reflect.Type
		switch {
		case t != nil && t.Kind() == reflect.Struct:
			name, err := w.name()
			if err != nil {
				return err
			}
			of = w.fieldsOf(t)[strings.ToLower(name)]
		case t != nil && t.Kind() == reflect.Map:
			if err := w.spend(entrySize + 2*int64(t.Key().Size()+t.Elem().Size())); err != nil {
				return err
			}
			if err := w.value(t.Key(), depth+1); err != nil {
				return err
			}
			of = t.Elem()
		default:
			if err := errors.Join(w.spend(entrySize), w.value(nil, depth+1)); err != nil {
				return err
			}
		}
		if err := w.value(of, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// name reads the name of a field.
func (w *walk) name() (string, error) {
	major, n, err := w.head()
	if err != nil || major != majorText || n > uint64(len(w.data)) {
		return "", errMalformed
	}
	name := string(w.data[:n])
	w.data = w.data[n:]
	return name, nil
}

// fieldsOf returns the types of a struct's fields by their names in lower case, because the decoder ignores case.
func (w *walk) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := w.types[t]; ok {
		return known
	}
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("cbor"), ",")
		if name == "" {
			name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		if name == "" {
			name = f.Name
		}
		out[strings.ToLower(name)] = f.Type
	}
	w.types[t] = out
	return out
}

// notUTF8 returns the beginning of the first text of an encoded value that is not UTF-8.
func notUTF8(body []byte) (text string, found bool) {
	w := walk{data: body}
	for len(w.data) > 0 { // the content of an array, a map or a tag follows its head
		major, n, err := w.head()
		if err != nil {
			return "", false
		}
		if major != majorBytes && major != majorText {
			continue
		}
		if n > uint64(len(w.data)) {
			return "", false
		}
		if content := w.data[:n]; major == majorText && !utf8.Valid(content) {
			const most = 60 // bytes
			return string(content[:min(len(content), most)]), true
		}
		w.data = w.data[n:]
	}
	return "", false
}

// maxNested limits the nesting of envelopes. The checksum of each envelope covers all envelopes within it.
const maxNested = 32

// nested returns the depth of nested envelopes in data.
func nested(data []byte) int {
	var ends []int
	most := 0
	for at := 0; ; at++ {
		next := bytes.Index(data[at:], []byte(magic))
		if next < 0 {
			return most
		}
		at += next
		end, ok := announced(data, at)
		if !ok {
			continue
		}
		for len(ends) > 0 && ends[len(ends)-1] <= at {
			ends = ends[:len(ends)-1]
		}
		ends = append(ends, end)
		most = max(most, len(ends))
	}
}

// announced returns the end of the envelope at the given offset, as its head states it. It returns false if there is no envelope.
func announced(data []byte, at int) (end int, ok bool) {
	if len(data)-at < fixedSize+checksumSize {
		return 0, false
	}
	k := int(data[at+5])
	room := uint64(len(data) - at)
	used := uint64(fixedSize + k + checksumSize)
	if room < used || data[at+4] != envelopeFormat {
		return 0, false
	}
	length := binary.LittleEndian.Uint64(data[at+8+k:])
	if length > room-used {
		return 0, false
	}
	return at + int(used+length), true
}
