package flatcheck

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The constants are slots of the tables in Arrow's Message.fbs, Schema.fbs and File.fbs.
const (
	messageKind, messageHeader    = 6, 8
	messageBody                   = 10
	footerSchema                  = 6
	footerDictionaries            = 8
	footerBatches                 = 10
	schemaFields, schemaMeta      = 6, 8
	fieldTypeKind, fieldType      = 8, 10
	fieldDictionary               = 12
	fieldChildren, fieldMeta      = 14, 16
	unionIDs, unionKind           = 6, 14
	binaryView, textView          = 23, 24
	dictionaryKind, dictionaryRow = 2, 6
	batchVariadic                 = 12
	continuation                  = 0xffffffff
	blockSize                     = 24       // a footer's entry for a batch: its offset, metadata length and body length
	maxDepth                      = 64       // of nested fields
	MaxMetadata                   = 64 << 20 // bytes, arrow-go's own limit
	ParquetMeta, footerTrailing   = "ARROW:schema", 4 + len(FileMagic)
)

// FileMagic is the beginning of an Arrow file, but not of a stream.
const FileMagic = "ARROW1"

var errFlat = errors.New("metadata with a length beyond its end")

// message holds the Arrow metadata of one message.
type message struct {
	table flatbuffers.Table
	next  int64 // the offset of the next message, if it was read from a file
}

// messageAt reads the metadata of the message at an offset, and returns false at the end of a stream.
func messageAt(in io.ReaderAt, at int64) (m message, ok bool, err error) {
	var prefix [8]byte
	n, err := in.ReadAt(prefix[:], at)
	if n < 4 || n < 8 && binary.LittleEndian.Uint32(prefix[:]) == continuation {
		return m, false, nil // arrow-go reports the error, if there is one
	}
	if err != nil && err != io.EOF {
		return m, false, err
	}
	length, from := int64(binary.LittleEndian.Uint32(prefix[:])), at+4
	if length == continuation {
		length, from = int64(binary.LittleEndian.Uint32(prefix[4:])), at+8
	}
	if length == 0 {
		return m, false, nil
	}
	if length < 8 || length > MaxMetadata {
		return m, false, errFlat
	}
	// ReadAll allocates no more than the data: its buffer grows with the read.
	buf, err := io.ReadAll(io.NewSectionReader(in, from, length))
	if err != nil {
		return m, false, err
	}
	if int64(len(buf)) < length {
		return m, false, io.ErrUnexpectedEOF
	}
	m.table = root(buf)
	body := int64(0)
	if o := m.table.Offset(messageBody); o != 0 {
		body = m.table.GetInt64(m.table.Pos + flatbuffers.UOffsetT(o))
	}
	if m.next = from + length + body; body < 0 || m.next <= at {
		return m, false, errFlat
	}
	return m, true, nil
}

func root(buf []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: buf, Pos: flatbuffers.GetUOffsetT(buf)}
}

// child returns the table in a slot, and false if there is none.
func child(t flatbuffers.Table, slot flatbuffers.VOffsetT) (flatbuffers.Table, bool) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return t, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}, true
}

// vector returns the beginning and the length of a vector of entries of size bytes.
func vector(t flatbuffers.Table, slot flatbuffers.VOffsetT, size int) (begin flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return 0, 0, nil
	}
	begin, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || int64(begin)+int64(n)*int64(size) > int64(len(t.Bytes)) {
		return 0, 0, errFlat
	}
	return begin, n, nil
}

// schemaCheck checks a schema recursively.
type schemaCheck struct {
	left int // number of fields that the metadata can still hold; a damaged schema may refer to one field repeatedly
	// views counts the columns of views, and dictionaries the dictionaries of views. For each of them, batches store a number of
	// buffers.
	views, dictionaries int
}

func (c *schemaCheck) schema(s flatbuffers.Table) error {
	c.left = len(s.Bytes) / 4
	if _, _, err := vector(s, schemaMeta, 4); err != nil {
		return err
	}
	return c.fields(s, schemaFields, 0)
}

func (c *schemaCheck) fields(t flatbuffers.Table, slot flatbuffers.VOffsetT, depth int) error {
	begin, n, err := vector(t, slot, 4)
	if err != nil {
		return err
	}
	if c.left -= n; c.left < 0 || depth > maxDepth {
		return fmt.Errorf("%w: nested fields", errFlat)
	}
	for i := range n {
		f := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(begin + 4*flatbuffers.UOffsetT(i))}
		if _, _, err := vector(f, fieldMeta, 4); err != nil {
			return err
		}
		kind := byte(0)
		if o := f.Offset(fieldTypeKind); o != 0 {
			kind = f.GetByte(f.Pos + flatbuffers.UOffsetT(o))
		}
		if kind == binaryView || kind == textView {
			if f.Offset(fieldDictionary) == 0 {
				c.views++
			} else {
				c.dictionaries++
			}
		}
		if typ, ok := child(f, fieldType); ok && kind == unionKind {
			if _, _, err := vector(typ, unionIDs, 4); err != nil {
				return err
			}
		}
		if err := c.fields(f, fieldChildren, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// some reports whether batches need a check, because there are views.
func (c *schemaCheck) some() bool { return c.views+c.dictionaries > 0 }

// batch checks the metadata of a record batch or of a dictionary: it must store a number of buffers for each column of views,
// because arrow-go reads one for each. No such number may exceed the size of the file.
func (c *schemaCheck) batch(m message, size int64) error {
	b, ok := child(m.table, messageHeader)
	if !ok {
		return nil
	}
	views := c.views
	if o := m.table.Offset(messageKind); o != 0 && m.table.GetByte(m.table.Pos+flatbuffers.UOffsetT(o)) == dictionaryKind {
		if b, ok = child(b, dictionaryRow); !ok {
			return nil
		}
		views = min(c.dictionaries, 1)
		if b.Offset(batchVariadic) == 0 {
			return nil // the dictionary holds no views
		}
	}
	begin, n, err := vector(b, batchVariadic, 8)
	if err != nil {
		return err
	}
	if n < views {
		return errFlat
	}
	for i := range n {
		if k := b.GetInt64(begin + 8*flatbuffers.UOffsetT(i)); k < 0 || k > size {
			return errFlat
		}
	}
	return nil
}

// CheckStream checks the schema of a stream, and its batches if there are views.
func CheckStream(in io.ReaderAt, size int64) error {
	m, ok, err := messageAt(in, 0)
	if err != nil || !ok {
		return err
	}
	var c schemaCheck
	if s, ok := child(m.table, messageHeader); ok {
		if err := c.schema(s); err != nil {
			return err
		}
	}
	for at := m.next; ok && c.some(); at = m.next {
		if m, ok, err = messageAt(in, at); err != nil || !ok {
			return err
		}
		if err := c.batch(m, size); err != nil {
			return err
		}
	}
	return nil
}

// CheckFile does the same as CheckStream for an Arrow file, whose schema is in its footer.
func CheckFile(in io.ReaderAt, size int64) error {
	var end [footerTrailing]byte
	if _, err := in.ReadAt(end[:], max(0, size-int64(len(end)))); err != nil && err != io.EOF {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length < 8 || length > MaxMetadata || length > size-int64(len(end)) {
		return errFlat
	}
	buf := make([]byte, length)
	if _, err := in.ReadAt(buf, size-int64(len(end))-length); err != nil {
		return err
	}
	var c schemaCheck
	footer := root(buf)
	if s, ok := child(footer, footerSchema); ok {
		if err := c.schema(s); err != nil {
			return err
		}
	}
	for _, slot := range []flatbuffers.VOffsetT{footerDictionaries, footerBatches} {
		begin, n, err := vector(footer, slot, blockSize)
		if err != nil {
			return err
		}
		for i := 0; i < n && c.some(); i++ {
			at := footer.GetInt64(begin + blockSize*flatbuffers.UOffsetT(i))
			if at < 0 || at > size {
				return errFlat
			}
			m, ok, err := messageAt(in, at)
			if err != nil {
				return err
			}
			if ok {
				if err := c.batch(m, size); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// CheckStored checks the Arrow schema that a Parquet file may have in its metadata, in base 64.
func CheckStored(text string) error {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		raw, err = base64.RawStdEncoding.DecodeString(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", ParquetMeta, err)
	}
	return CheckStream(strings.NewReader(string(raw)), int64(len(raw)))
}
