package celltext

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// Unpacked returns the text of a file that gzip may have compressed, which its first two bytes tell.
func Unpacked(name string, r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if start, err := in.Peek(2); err != nil || start[0] != 0x1f || start[1] != 0x8b {
		return in, nil // a short file is text, and an error comes again
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, nil
}

// Comma returns the mark between the cells of a file: the one that is set, else a tab for a name that ends in .tsv, else a comma.
func Comma(set rune, name string) rune {
	switch {
	case set != 0:
		return set
	case strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".tsv"):
		return '\t'
	}
	return ','
}
