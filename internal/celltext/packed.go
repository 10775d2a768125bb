package celltext

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// Unpacked returns the text of a file. If the first two bytes are those of gzip, it decompresses the file.
func Unpacked(name string, r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if start, err := in.Peek(2); err != nil || start[0] != 0x1f || start[1] != 0x8b {
		return in, nil // a short file is text, and a read error occurs again
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, nil
}

// Comma returns the separator of the cells of a file: set if it is not 0, a tab if the name ends in .tsv, and otherwise a comma.
func Comma(set rune, name string) rune {
	switch {
	case set != 0:
		return set
	case strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".tsv"):
		return '\t'
	}
	return ','
}
