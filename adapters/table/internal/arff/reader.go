package arff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Reader reads the rows of a file.
type Reader struct {
	Attributes []Attribute
	Line       int // the line of the last row
	name       string
	lines      *bufio.Reader
	parser     *celltext.Parser
	end        bool
}

// Open reads the attributes of a file. Errors contain the name and the line.
func Open(name string, in io.Reader, parser *celltext.Parser) (*Reader, error) {
	r := &Reader{name: name, lines: bufio.NewReader(in), parser: parser}
	for {
		text, err := r.line()
		if err == io.EOF {
			return nil, fault.Param(name, "section", "none", "@data after the attributes")
		}
		if err != nil {
			return nil, err
		}
		word, rest := text, ""
		if i := strings.IndexAny(text, " \t"); i >= 0 {
			word, rest = text[:i], strings.TrimSpace(text[i:])
		}
		switch strings.ToLower(word) {
		case "@relation":
		case "@attribute":
			of, err := ParseAttribute(rest)
			if err != nil {
				return nil, r.Refused("attribute", rest, err.Error())
			}
			r.Attributes = append(r.Attributes, of)
		case "@data":
			return r, nil
		default:
			return nil, r.Refused("line", text, "@relation, @attribute or @data")
		}
	}
}

// line returns the next line that is not a comment, or io.EOF at the end.
func (r *Reader) line() (string, error) {
	for !r.end {
		raw, err := r.lines.ReadString('\n')
		if r.end = err == io.EOF; err != nil && !r.end {
			return "", fmt.Errorf("%s: %w", r.name, err)
		}
		r.Line++
		if r.Line == 1 {
			raw = strings.TrimPrefix(raw, "\ufeff")
		}
		text, ok := r.parser.Text(raw)
		if !ok {
			return "", celltext.NotUTF8(r.place(), "line", text)
		}
		if text != "" && text[0] != '%' {
			return text, nil
		}
	}
	return "", io.EOF
}

func (r *Reader) place() string { return fmt.Sprintf("%s:%d", r.name, r.Line) }

// Refused returns the error of a line that cannot be read.
func (r *Reader) Refused(what, text, want string) error {
	return fault.Param(r.place(), what, strconv.Quote(celltext.Short(text)), want)
}

// Next returns all cells of the next row, including those that a sparse row leaves out. At the end it returns io.EOF.
func (r *Reader) Next() ([]Cell, error) {
	text, err := r.line()
	if err != nil {
		return nil, err
	}
	var row []Cell
	if strings.HasPrefix(text, "{") {
		row = r.zeros()
		err = Sparse(text, row)
	} else if row, _, err = Cells(text, -1); err == nil && len(row) != len(r.Attributes) {
		return nil, fault.Shape(r.place()+": the line has", len(row), "cells", "there are %d attributes", len(r.Attributes))
	}
	if err != nil {
		return nil, r.Refused("line", text, err.Error())
	}
	return row, nil
}

// zeros returns the values of the cells that a sparse row leaves out.
func (r *Reader) zeros() []Cell {
	row := make([]Cell, len(r.Attributes))
	for j, of := range r.Attributes {
		switch {
		case len(of.Levels) > 0:
			row[j] = Cell{Text: of.Levels[0], Quoted: true}
		case of.Type == Numeric:
			row[j].Text = "0"
		default:
			row[j].Text = "?"
		}
	}
	return row
}
