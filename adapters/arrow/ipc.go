package arrow

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/flatcheck"
)

// openIPC opens an Arrow file or stream.
func openIPC(in Input, want *request) (source, error) {
	begin := make([]byte, len(flatcheck.FileMagic))
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
	limits := []ipc.Option{ipc.WithAllocator(want.mem), ipc.WithMetadataSizeLimit(flatcheck.MaxMetadata),
		ipc.WithBodySizeLimit(want.mem.limit)}
	if string(begin[:n]) == flatcheck.FileMagic {
		if err := flatcheck.CheckFile(in, size); err != nil {
			return nil, err
		}
		f, err := ipc.NewFileReader(in, limits...)
		if err != nil {
			return nil, err
		}
		return &ipcFile{projection{of: f.Schema()}, in, f, 0}, nil
	}
	if err := flatcheck.CheckStream(in, size); err != nil {
		return nil, err
	}
	r, err := ipc.NewReader(in, limits...)
	if err != nil {
		return nil, err
	}
	return &ipcStream{batches{projection{of: r.Schema()}, r}, in}, nil
}

// ipcFile reads the batches of an Arrow file one by one.
type ipcFile struct {
	projection
	in   Input
	file *ipc.FileReader
	at   int
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
	return f.take(batch), nil
}

func (f *ipcFile) close() {
	defer closeInput(f.in)
	f.release()
	_ = f.file.Close() // no error matters after reading
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
