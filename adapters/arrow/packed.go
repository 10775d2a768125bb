package arrow

import (
	"compress/gzip"
	"errors"
	"io"
)

// packed reports whether a file was written by gzip.
func packed(in io.ReaderAt) bool {
	var magic [2]byte
	_, err := in.ReadAt(magic[:], 0)
	return (err == nil || errors.Is(err, io.EOF)) && magic == [2]byte{0x1f, 0x8b}
}

// unpacked is what gzip has compressed, which can be read again from its beginning.
type unpacked struct {
	in  Input
	out *gzip.Reader
}

// Seek implements io.Seeker for the beginning alone.
func (u *unpacked) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	u.out = nil
	return u.in.Seek(0, io.SeekStart)
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (n int, err error) {
	if u.out == nil {
		if u.out, err = gzip.NewReader(u.in); err != nil {
			u.out = nil
			return 0, err
		}
	}
	return u.out.Read(p)
}
