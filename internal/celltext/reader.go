package celltext

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Records reads the rows of a CSV file.
type Records struct {
	name    string
	parser  *Parser
	csv     *csv.Reader
	names   []string
	dropped int      // number of columns at the end without a name
	first   []string // the first line, if it is a row
	line    int
}

// Layout describes how a file is written.
type Layout struct {
	Comma    rune
	NoHeader bool // the first line is a row; columns are called "0", "1" and so on
}

// Open reads the names of the columns. Empty lines are skipped, and an empty file has no columns.
//
// Errors name the file, and the line if there is one. ErrParam reports UTF-16, bytes outside the encoding of the rules, or a Comma
// outside the encoding. ErrShape reports a line with more columns than the first, or very many columns without a name. Open also
// returns the errors of encoding/csv and of r.
func Open(name string, r io.Reader, parser *Parser, of Layout) (*Records, error) {
	if parser.rules.Latin1 && of.Comma >= utf8.RuneSelf {
		return nil, fault.Param(name, "Comma", strconv.QuoteRune(of.Comma), "an ASCII character with Latin1")
	}
	in := bufio.NewReader(r)
	if _, err := SkipMark(name+":1", in); err != nil {
		return nil, (&Records{name: name}).wrong(err)
	}
	c := csv.NewReader(NewLines(name, in, of))
	c.Comma = of.Comma
	c.FieldsPerRecord = -1 // Next checks the number of cells
	// If Comma is white space, trimming would drop empty cells.
	c.TrimLeadingSpace = !unicode.IsSpace(of.Comma)
	c.ReuseRecord = true
	out := &Records{name: name, parser: parser, csv: c}
	cells, err := out.read()
	if err != nil || cells == nil {
		return out, err
	}
	if of.NoHeader {
		out.first = cells
		out.names = make([]string, len(cells))
		for j := range cells {
			out.names[j] = strconv.Itoa(j)
		}
		return out, nil
	}
	out.names, out.dropped = TrimNames(slices.Clone(cells))
	if len(out.names) == 0 {
		return nil, fault.Shape(fmt.Sprintf("%s:%d: the line has", name, out.line), 0, "columns with a name", "want at least 1")
	}
	return out, nil
}

// TrimNames returns the names without empty names at the end, and the number of those.
func TrimNames(names []string) (named []string, dropped int) {
	n := len(names)
	for n > 0 && names[n-1] == "" {
		n--
	}
	return names[:n], len(names) - n
}

// Names returns the names of the columns, without nameless columns at the end.
func (r *Records) Names() []string { return r.names }

// Line returns the number of the line, counted from 1, in which the last row begins.
func (r *Records) Line() int { return r.line }

// Next returns the cells of the next row, which are valid until the next call. It returns io.EOF at the end.
func (r *Records) Next() ([]string, error) {
	cells := r.first
	if r.first = nil; cells == nil {
		var err error
		if cells, err = r.read(); err != nil {
			return nil, err
		}
	}
	switch n := len(r.names) + r.dropped; {
	case cells == nil:
		return nil, io.EOF
	case len(cells) != n:
		return nil, fault.Shape(fmt.Sprintf("%s:%d: the line has", r.name, r.line), len(cells), "cells", "the first one has %d", n)
	}
	for j, c := range cells[len(r.names):] {
		if c != "" {
			return nil, fault.Param(fmt.Sprintf("%s:%d", r.name, r.line), fmt.Sprintf("column %d", len(r.names)+j+1), strconv.Quote(c),
				"no cell, as the column has no name in the first line")
		}
	}
	return cells[:len(r.names)], nil
}

// read returns the decoded cells of the next line, or nil at the end.
func (r *Records) read() ([]string, error) {
	cells, err := r.csv.Read()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, r.wrong(err)
	}
	r.line, _ = r.csv.FieldPos(0)
	for j, c := range cells {
		var ok bool
		if cells[j], ok = r.parser.Text(c); !ok {
			line, _ := r.csv.FieldPos(j)
			return nil, NotUTF8(fmt.Sprintf("%s:%d", r.name, line), r.column(j), c)
		}
	}
	return cells, nil
}

// column returns the name of a column for an error.
func (r *Records) column(j int) string {
	if j < len(r.names) {
		return fmt.Sprintf("column %q", r.names[j])
	}
	return fmt.Sprintf("column %d", j+1)
}

// NotUTF8 returns the error for a cell that is not UTF-8.
func NotUTF8(place, column, cell string) error {
	return fault.Param(place, column, strconv.Quote(Short(cell)), "UTF-8, or Latin1 set for a file that is Latin-1")
}

// wrong adds the file's name to an error of encoding/csv, which contains the line.
func (r *Records) wrong(err error) error {
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d: column %d: %w", r.name, parse.Line, parse.Column, parse.Err)
	case errors.As(err, new(*fault.ShapeError)), errors.As(err, new(*fault.ParamError)):
		return err // the error already names the file
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// byteOrderMark is the beginning of many files from spreadsheets.
const byteOrderMark = "\ufeff"

// SkipMark skips a byte order mark and returns its length. It returns ErrParam for UTF-16, or the error of a read.
func SkipMark(name string, in *bufio.Reader) (int, error) {
	start, err := in.Peek(4)
	switch {
	case err != nil && err != io.EOF: // Peek would not report it again
		return 0, err
	case bytes.HasPrefix(start, []byte(byteOrderMark)):
		return in.Discard(len(byteOrderMark))
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")),
		len(start) == 4 && (start[0] == 0) != (start[1] == 0) && (start[0] == 0) == (start[2] == 0) && (start[1] == 0) == (start[3] == 0):
		return 0, fault.Param(name, "encoding", "UTF-16", "UTF-8: save the file as that, or convert it by iconv -f UTF-16 -t UTF-8")
	}
	return 0, nil
}

// ReturnsAlone reports whether the first line ends with a carriage return alone, within the reader's buffer.
func ReturnsAlone(in *bufio.Reader) bool {
	start, _ := in.Peek(in.Size())
	quoted := false
	for i, b := range start {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\n':
			return false
		case b == '\r':
			return i+1 == len(start) || start[i+1] != '\n'
		}
	}
	return false
}

// These limits determine by how much a line may exceed the first line before it is rejected unread.
const (
	mostNameless = 1000
	mostSurplus  = 1000
)

// Lines passes on the bytes of a CSV file. If the first line ends with a carriage return alone, it turns carriage returns into line
// ends. A line with far more cells than the first line is rejected before it is read to its end. So is a first line with many more
// cells than names.
type Lines struct {
	name    string
	in      *bufio.Reader
	err     error // of in
	comma   byte  // 0 if cells cannot be counted
	header  bool
	ends    byte // byte that ends a line; 0 before the first end
	quoted  bool
	line    int
	cells   int  // number of completed cells of the current line
	filled  bool // whether the current cell is not empty
	any     bool // whether a cell of the current line is not empty
	without int  // number of empty cells of the current line, if it is the first
	width   int  // number of cells of the first line; 0 before its end
}

// NewLines returns Lines that read from in, which must be after any byte order mark.
func NewLines(name string, in *bufio.Reader, of Layout) *Lines {
	l := &Lines{name: name, in: in, header: !of.NoHeader, line: 1}
	if of.Comma < utf8.RuneSelf {
		l.comma = byte(of.Comma)
	}
	return l
}

// Read implements io.Reader.
func (l *Lines) Read(p []byte) (int, error) {
	// One byte is held back, because the byte after a carriage return decides its meaning.
	want := min(len(p)+1, l.in.Size())
	if l.err != nil {
		want = min(want, l.in.Buffered())
	}
	ahead, err := l.in.Peek(want)
	if l.err == nil {
		l.err = err // Peek would not report it again
	}
	n := min(len(ahead), len(p))
	if len(ahead) > 1 && l.err == nil {
		n = min(n, len(ahead)-1)
	}
	if n == 0 {
		return 0, l.err
	}
	copy(p[:n], ahead)
	for i, b := range ahead[:n] {
		if b > ' ' && b != '"' && b != l.comma { // the common case
			l.filled, l.any = true, true
			continue
		}
		if b == '\r' && !l.quoted {
			if l.ends == 0 && (i+1 == len(ahead) || ahead[i+1] != '\n') {
				l.ends = '\r'
			}
			if l.ends != '\r' {
				continue
			}
			b, p[i] = '\n', '\n'
		}
		if err := l.countByte(b); err != nil {
			return 0, err
		}
	}
	_, _ = l.in.Discard(n) // these bytes were peeked
	return n, nil
}

// countByte updates the counts of lines and cells with the next byte.
func (l *Lines) countByte(b byte) error {
	switch {
	case b == '"':
		l.quoted = !l.quoted
	case l.quoted:
		l.filled, l.any = true, true
		if b == '\n' {
			l.line++
		}
	case b == '\n':
		l.endLine()
	case b == l.comma && b != 0:
		if l.cells++; !l.filled {
			l.without++
		}
		l.filled = false
		return l.checkWidth()
	case b != ' ' && b != '\t':
		l.filled, l.any = true, true
	}
	return nil
}

// checkWidth returns an error if the line is far wider than the first.
func (l *Lines) checkWidth() error {
	place := func() string { return fmt.Sprintf("%s:%d: the line has more than", l.name, l.line) }
	switch {
	case l.width == 0 && l.header && l.without > mostNameless:
		return fault.Shape(place(), mostNameless, "columns without a name", "a name for each")
	case l.width > 0 && l.cells > l.width+mostSurplus:
		return fault.Shape(place(), l.width+mostSurplus, "cells", "the first one has %d", l.width)
	}
	return nil
}

// endLine starts the counts of the next line.
func (l *Lines) endLine() {
	l.ends = cmp.Or(l.ends, '\n')
	if l.width == 0 && (l.any || l.cells > 0) {
		l.width = l.cells + 1
	}
	l.line, l.cells, l.without, l.filled, l.any = l.line+1, 0, 0, false, false
}

// CheckNames returns an error if a column to be used has no name.
func CheckNames(file string, names []string) error {
	if j := slices.Index(names, ""); j >= 0 {
		return fault.Param(file, fmt.Sprintf("name of column %d", j+1), `""`,
			`a name in the first line, or the column left out: Ignore has ""`)
	}
	return nil
}

// Duplicate returns the first name that occurs twice, and whether there is one. It allocates one number per name.
func Duplicate(names []string) (string, bool) {
	order := make([]int32, len(names))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(strings.Compare(names[a], names[b]), cmp.Compare(a, b)) })
	at := int32(-1)
	for k := 1; k < len(order); k++ {
		if names[order[k]] == names[order[k-1]] && (at < 0 || order[k] < at) {
			at = order[k]
		}
	}
	if at < 0 {
		return "", false
	}
	return names[at], true
}
