package arrow

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// fileMagic is how an Arrow file begins, and a stream does not.
const fileMagic = "ARROW1"

// openIPC opens an Arrow file or stream.
func openIPC(in Input, want *request) (source, error) {
	begin := make([]byte, len(fileMagic))
	n, err := in.ReadAt(begin, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	limits := []ipc.Option{ipc.WithAllocator(want.mem), ipc.WithMetadataSizeLimit(maxMetadata), ipc.WithBodySizeLimit(want.mem.limit)}
	if string(begin[:n]) == fileMagic {
		if err := checkFile(in, size); err != nil {
			return nil, err
		}
		f, err := ipc.NewFileReader(in, limits...)
		if err != nil {
			return nil, err
		}
		return &ipcFile{in: in, file: f}, nil
	}
	if err := checkStream(in, size); err != nil {
		return nil, err
	}
	r, err := ipc.NewReader(in, limits...)
	if err != nil {
		return nil, err
	}
	return &ipcStream{batches{rows: r, of: r.Schema()}, in}, nil
}

// ipcFile reads the batches of an Arrow file one by one.
type ipcFile struct {
	in      Input
	file    *ipc.FileReader
	columns []int
	chosen  *arrow.Schema
	at      int
	cur     arrow.RecordBatch
}

func (f *ipcFile) schema() *arrow.Schema { return f.file.Schema() }

func (f *ipcFile) start(_ context.Context, columns []int) error {
	f.columns, f.chosen = columns, choose(f.file.Schema(), columns)
	return nil
}

func (f *ipcFile) next() (arrow.RecordBatch, error) {
	f.release()
	if f.at == f.file.NumRecords() {
		return nil, io.EOF
	}
	batch, err := f.file.RecordBatchAt(f.at)
	if err != nil {
		return nil, err
	}
	defer batch.Release()
	f.at++
	f.cur = project(batch, f.columns, f.chosen)
	return f.cur, nil
}

func (f *ipcFile) release() {
	if f.cur != nil {
		f.cur.Release()
		f.cur = nil
	}
}

func (f *ipcFile) close() {
	defer closeInput(f.in)
	f.release()
	_ = f.file.Close() // it was read only
}

// ipcStream reads an Arrow stream.
type ipcStream struct {
	batches
	in Input
}

func (s *ipcStream) close() {
	defer closeInput(s.in)
	s.batches.close()
}
