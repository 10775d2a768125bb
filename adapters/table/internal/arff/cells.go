// Package arff reads the attributes and rows of ARFF files.
package arff

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Cell is the text of a value in a file.
type Cell struct {
	Text   string
	Quoted bool
}

// Cells returns the cells before the first most commas, or all cells if most is -1, and the rest of the line. A single word also
// ends at white space.
func Cells(line string, most int) (out []Cell, rest string, err error) {
	for rest = strings.TrimSpace(line); ; {
		var cell Cell
		if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
			if cell.Text, rest, err = unquoted(rest); err != nil {
				return nil, "", err
			}
			cell.Quoted = true
		} else {
			stop := ","
			if most == 1 {
				stop = ", \t{"
			}
			end := strings.IndexAny(rest, stop)
			if end < 0 {
				end = len(rest)
			}
			cell.Text, rest = strings.TrimSpace(rest[:end]), rest[end:]
			if cell.Text == "" {
				return nil, "", errors.New("a value on both sides of a comma")
			}
		}
		if out = append(out, cell); len(out) == most {
			return out, rest, nil
		}
		if rest = strings.TrimSpace(rest); rest == "" {
			return out, "", nil
		}
		if rest[0] != ',' {
			return nil, "", errors.New("a comma after a quoted value")
		}
		rest = strings.TrimSpace(rest[1:])
	}
}

// unquoted returns the quoted text at the beginning of a line, and the rest of the line.
func unquoted(line string) (text, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == line[0]:
			return b.String(), line[i+1:], nil
		case c == '\\' && i+1 < len(line):
			i++
			if k := strings.IndexByte("ntr", line[i]); k >= 0 {
				b.WriteByte("\n\t\r"[k])
			} else {
				b.WriteByte(line[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New("quotes that are closed")
}

// Sparse writes the cells of a sparse row, such as {2 7, 5 red}, into row, which already contains the values of omitted cells.
// Errors describe the expected form.
func Sparse(line string, row []Cell) error {
	if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") {
		return errors.New("a row that ends with }")
	}
	inner := strings.TrimSpace(line[1 : len(line)-1])
	before := -1
	for inner != "" {
		end := strings.IndexAny(inner, " \t")
		if end < 0 {
			return errors.New("a value after each number of an attribute")
		}
		j, err := strconv.Atoi(inner[:end])
		if err != nil || j <= before || j >= len(row) {
			return fmt.Errorf("the numbers of attributes from 0 to %d, ascending, each before its value", len(row)-1)
		}
		cells, left, err := Cells(inner[end:], 1)
		if err != nil {
			return err
		}
		row[j], before = cells[0], j
		inner = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(left), ","))
	}
	return nil
}
