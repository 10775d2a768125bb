package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// rda reads the first data frame of numbers in a file written by R's save: gzipped, in format 2 of XDR. R Internals, section 1.8,
// describes the format. rda reads only the kinds of objects that such a frame consists of.
func rda(content []byte) (*table, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(unzipped, mostBytes))
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(plain, []byte("RDX2\nX\n"))
	if !ok || len(rest) < 12 {
		return nil, errors.New("this is no file of R's in format 2 of XDR")
	}
	r := &rdaReader{rest: rest[12:]} // skips the versions of the format and of R
	frame := r.object(0)
	if r.err != nil {
		return nil, r.err
	}
	if frame.tagged == nil {
		return nil, errors.New("the file holds no tagged list of objects")
	}
	columns, ok := frame.tagged.values.([]rdaObject)
	if !ok {
		return nil, errors.New("the file's first object is no data frame")
	}
	t := &table{}
	names, _ := frame.tagged.attributes["names"].values.([]string)
	if len(names) != len(columns) {
		return nil, fmt.Errorf("the data frame has %d columns and %d names", len(columns), len(names))
	}
	for j, column := range columns {
		numbers, ok := column.values.([]float64)
		if !ok || len(column.attributes) > 0 || j > 0 && len(numbers) != len(t.rows) {
			return nil, fmt.Errorf("column %s is no column of numbers as long as the first", names[j])
		}
		if j == 0 {
			t.rows = make([][]string, len(numbers))
		}
		for i, v := range numbers {
			t.rows[i] = append(t.rows[i], strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	t.names = names
	return t, t.check()
}

// rdaObject is an object of R: []float64, []string, []rdaObject, or a tagged list.
type rdaObject struct {
	values     any
	attributes map[string]rdaObject
	tagged     *rdaObject // the first object of a tagged list
}

type rdaReader struct {
	rest    []byte
	symbols []string
	err     error
}

func (r *rdaReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		if r.err == nil {
			r.err = io.ErrUnexpectedEOF
		}
		return make([]byte, 8)
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *rdaReader) int() int { return int(int32(binary.BigEndian.Uint32(r.take(4)))) }

// length reads a number of elements, each of at least size bytes.
func (r *rdaReader) length(size int) int {
	n := r.int()
	if n < 0 || n > len(r.rest)/size {
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	return n
}

func (r *rdaReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// object reads an object at the given nesting depth of lists.
func (r *rdaReader) object(depth int) rdaObject {
	const deepest = 100
	if depth > deepest {
		r.fail(fmt.Errorf("lists are nested deeper than %d", deepest))
	}
	if r.err != nil {
		return rdaObject{}
	}
	flags := r.int()
	kind, hasAttributes, hasTag := flags&0xff, flags&(1<<9) != 0, flags&(1<<10) != 0
	var o rdaObject
	switch kind {
	case 254: // NULL
	case 1: // a symbol
		name, _ := r.object(depth + 1).values.(string)
		r.symbols = append(r.symbols, name)
		o.values = name
	case 255: // a reference to an earlier symbol
		if i := flags >> 8; i >= 1 && i <= len(r.symbols) {
			o.values = r.symbols[i-1]
		} else {
			r.fail(fmt.Errorf("there is no symbol %d", i))
		}
	case 2: // a tagged list, read to its end
		o.attributes = map[string]rdaObject{}
		for kind == 2 && r.err == nil {
			if hasAttributes {
				r.object(depth + 1)
			}
			name := ""
			if hasTag {
				name, _ = r.object(depth + 1).values.(string)
			}
			value := r.object(depth + 1)
			if o.tagged == nil {
				o.tagged = &value
			}
			o.attributes[name] = value
			flags = r.int()
			kind, hasAttributes, hasTag = flags&0xff, flags&(1<<9) != 0, flags&(1<<10) != 0
		}
		if kind != 254 && r.err == nil {
			r.fail(fmt.Errorf("a list ends in an object of kind %d", kind))
		}
		return o
	case 9: // characters
		n := r.int()
		if n == -1 { // a missing string
			n = 0
		}
		o.values = string(r.take(n))
		return o
	case 10, 13: // logical, integers
		numbers := make([]float64, r.length(4))
		for i := range numbers {
			numbers[i] = float64(r.int())
		}
		o.values = numbers
	case 14: // numbers
		numbers := make([]float64, r.length(8))
		for i := range numbers {
			numbers[i] = math.Float64frombits(binary.BigEndian.Uint64(r.take(8)))
		}
		o.values = numbers
	case 16: // strings
		list := make([]string, r.length(4))
		for i := range list {
			list[i], _ = r.object(depth + 1).values.(string)
		}
		o.values = list
	case 19: // a list
		list := make([]rdaObject, r.length(4))
		for i := range list {
			list[i] = r.object(depth + 1)
		}
		o.values = list
	default:
		r.fail(fmt.Errorf("objects of kind %d are not read", kind))
	}
	if hasAttributes && kind != 1 && kind != 255 {
		o.attributes = r.object(depth + 1).attributes
	}
	return o
}
