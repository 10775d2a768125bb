package celltext

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// Unpacked returns the text of a file. If the first two bytes are those of gzip, Unpacked decompresses the file.
func Unpacked(name string, r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if start, err := in.Peek(2); err != nil || start[0] != 0x1f || start[1] != 0x8b {
		return in, nil // a file of one byte is text, and a read error will occur again
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, nil
}

// Comma returns the separator of the cells of a file. It is set if set is not 0, a tab if the name ends in .tsv, and otherwise a
// comma.
func Comma(set rune, name string) rune {
	switch {
	case set != 0:
		return set
	case strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".tsv"):
		return '\t'
	}
	return ','
}
