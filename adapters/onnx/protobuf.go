package onnx

import (
	"encoding/binary"
	"math"
)

// message is a protocol buffer under construction. ONNX files consist of a few types of messages (github.com/onnx/onnx,
// onnx.proto3), of which this package needs only the fields with numbers, texts and messages.
type message struct{ data []byte }

// These are the wire types of fields.
const (
	varint    = 0
	delimited = 2
)

func (m *message) key(field, kind int) {
	m.data = binary.AppendUvarint(m.data, uint64(field<<3|kind))
}

func (m *message) integer(field int, v int64) {
	m.key(field, varint)
	m.data = binary.AppendUvarint(m.data, uint64(v))
}

func (m *message) bytes(field int, b []byte) {
	m.key(field, delimited)
	m.data = binary.AppendUvarint(m.data, uint64(len(b)))
	m.data = append(m.data, b...)
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

// integers writes a repeated field of integers.
func (m *message) integers(field int, values ...int64) {
	for _, v := range values {
		m.integer(field, v)
	}
}

// doubles writes a field with numbers as raw bytes.
func (m *message) doubles(field int, values []float64) {
	m.key(field, delimited)
	m.data = binary.AppendUvarint(m.data, uint64(8*len(values)))
	for _, v := range values {
		m.data = binary.LittleEndian.AppendUint64(m.data, math.Float64bits(v))
	}
}

// longs writes a field with integers as raw bytes.
func (m *message) longs(field int, values []int64) {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	m.bytes(field, raw)
}

func (m *message) message(field int, write func(*message)) {
	var inner message
	write(&inner)
	m.bytes(field, inner.data)
}
