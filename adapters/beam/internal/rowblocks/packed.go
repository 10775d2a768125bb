package rowblocks

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

var (
	errPacked = fmt.Errorf("it is compressed by gzip and can only be read from the beginning: "+
		"name it in Data.Files with .gz at the end, or set "+
		"Data.WholeFiles: %w", fault.ErrParam)
	errDamaged = fmt.Errorf("the gzip data is damaged or truncated: %w", fault.ErrBadModel)
)

// NamedPacked reports whether a path or pattern names files compressed with gzip.
func NamedPacked(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".gz") }

// packed reports whether the next bytes were written by gzip.
func packed(in *bufio.Reader) bool {
	magic, err := in.Peek(2)
	return err == nil && magic[0] == 0x1f && magic[1] == 0x8b
}

// unpack returns a reader that decompresses gzip.
func unpack(in *bufio.Reader) (*bufio.Reader, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, gzipError(err)
	}
	return bufio.NewReaderSize(&unpacked{z}, 1<<18), nil
}

// unpacked distinguishes errors of the file's contents from errors of a disk or a network.
type unpacked struct{ of *gzip.Reader }

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.of.Read(p)
	return n, gzipError(err)
}

// gzipError wraps err in errDamaged if gzip reports damaged contents. It returns all other errors unchanged.
func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err,
		&corrupt) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}
