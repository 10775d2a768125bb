package rowblocks

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/beamfiles"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Finding describes an error of a row or a file.
type Finding struct {
	File    string
	At      int64 // offset or number of the row; -1: the file itself
	Line    int64 // the line at At, if known
	ID      string
	Parquet bool
	Reason  string
	Text    string // the text of the row, up to maxText bytes
	Kind    int    // index in kinds
}

// newFinding returns the finding of an error in a file.
func newFinding(path string, at int64, reason string, kind error) *Finding {
	return &Finding{File: path, At: at, Reason: reason, Kind: kindOf(kind)}
}

// Error implements error.
func (f *Finding) Error() string { return f.File + ": " + f.Reason }

const maxText = 1000

// kinds lists the errors to which findings may unwrap. Finding.Kind is an index of the list.
var kinds = []error{nil, fault.ErrParam, fault.ErrShape, fault.ErrNotFinite, fault.ErrNotPSD, fault.ErrTooLarge, fault.ErrBadModel,
	errors.ErrUnsupported}

func kindOf(err error) int {
	for i, k := range kinds[1:] {
		if errors.Is(err, k) {
			return i + 1
		}
	}
	return 0
}

// Sentinel returns the error to which the finding unwraps, or nil.
func (f *Finding) Sentinel() error { return kinds[min(f.Kind, len(kinds)-1)] }

func (f Finding) compare(o Finding) int {
	return cmp.Or(cmp.Compare(f.File, o.File), cmp.Compare(f.At, o.At), cmp.Compare(f.ID, o.ID), cmp.Compare(f.Reason, o.Reason))
}

// LineAt returns the number, from 1, of the line that begins at an offset.
func LineAt(ctx context.Context, path string, offset int64) (int64, error) {
	f, err := beamfiles.Open(ctx, path, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if packed(text) {
		if text, err = unpack(text); err != nil {
			return 0, err
		}
	}
	mark, err := celltext.SkipMark(path, text)
	if err != nil {
		return 0, err
	}
	var rows io.Reader = text
	if celltext.ReturnsAlone(text) {
		rows = celltext.NewLines(path, text, celltext.Layout{})
	}
	in, line, buf := io.LimitReader(rows, offset-int64(mark)), int64(1), make([]byte, 1<<16)
	for {
		n, err := in.Read(buf)
		line += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err == io.EOF {
			return line, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
	}
}
