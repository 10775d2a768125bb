package server

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// version is the content of a model file at one time.
type version struct {
	model    *table.Model
	checksum string // as kernelearn describe prints it
	loaded   time.Time
}

// file is a model file that may be replaced. A request loads current once and uses that version throughout.
type file struct {
	name, path string
	current    atomic.Pointer[version]
	rows       atomic.Uint64 // number of predicted rows

	mu            sync.Mutex // protects the fields below
	seen          fs.FileInfo
	failed        error // the reason why the newest content was not loaded, or nil
	loads, misses uint64
}

// load loads the file if it has changed since the last call. It reports whether the model or the error has changed.
func (f *file) load() (changed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next, info, err := f.read()
	switch {
	case err != nil:
		changed = f.failed == nil || f.failed.Error() != err.Error() || info != nil
		f.failed = err
		if changed {
			f.misses++
		}
	case next == nil:
		return false, f.failed
	default:
		f.failed, changed = nil, true
		f.loads++
		f.current.Store(next)
	}
	f.seen = info
	return changed, err
}

// read returns the model in the file, or nil if the file has not changed since it was read.
func (f *file) read() (_ *version, info fs.FileInfo, err error) {
	defer fault.Recover(&err) // a panic on the goroutine that watches the files would end the program
	in, err := os.Open(f.path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	info, err = in.Stat() // before the read, so that later writes are detected as changes
	if err != nil {
		return nil, nil, err
	}
	if f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() {
		return nil, f.seen, nil
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, info, err
	}
	of, err := modelfile.Describe(data)
	if err != nil {
		return nil, info, err
	}
	model, err := modelfile.Unmarshal[*table.Model](data)
	if err != nil {
		return nil, info, fmt.Errorf("%w (kernelearn train writes files that can be served)", err)
	}
	return &version{model, of.Checksum, time.Now()}, info, nil
}

// state describes a file for /healthz and /metrics.
type state struct {
	Name     string    `json:"name"`
	File     string    `json:"file"`
	Checksum string    `json:"checksum"`
	Loaded   time.Time `json:"loaded"`
	Error    string    `json:"error,omitempty"` // the reason why the newest content of the file is not served

	loads, misses uint64
}

func (f *file) state() state {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.current.Load()
	out := state{Name: f.name, File: f.path, Checksum: v.checksum, Loaded: v.loaded, loads: f.loads, misses: f.misses}
	if f.failed != nil {
		out.Error = f.failed.Error()
	}
	return out
}
