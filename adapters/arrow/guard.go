package arrow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// ErrUnreadable is the error of a file that cannot be read in its format. The file is damaged, truncated or encrypted, or uses a
// feature that package arrow-go does not support.
var ErrUnreadable = errors.New("unreadable")

// errNamed marks errors that already name the file.
type errNamed struct{ error }

func (e errNamed) Unwrap() error { return e.error }

// guarded calls f, which reads or writes with arrow-go, and turns panics into errors: arrow-go panics on some damaged files. It
// prefixes errors with the name and the place. Code of the caller, which uses the rows or opens a file, must run outside f, so that
// its panics are not hidden.
func guarded(name, place string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			cause, ok := v.(error)
			if !ok || !errors.Is(cause, fault.ErrTooLarge) {
				cause = fmt.Errorf("%w: %v", ErrUnreadable, v)
			}
			err = fmt.Errorf("%s: %s%w", name, place, cause)
		}
	}()
	err = f()
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &errNamed{}):
		return err
	case errors.As(err, &path), ofOurs(err):
		return fmt.Errorf("%s: %s%w", name, place, err)
	}
	return fmt.Errorf("%s: %s%w: %w", name, place, ErrUnreadable, err)
}

// ofOurs reports whether err already has a cause other than an unreadable file, or is ErrUnreadable.
func ofOurs(err error) bool {
	for _, s := range []error{fault.ErrParam, fault.ErrShape, fault.ErrNotFinite, fault.ErrTooLarge, ErrUnreadable, context.Canceled,
		context.DeadlineExceeded} {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}

// limited is an allocator that panics with ErrTooLarge if more than limit bytes would be held, since arrow-go's allocators return
// no errors. A damaged file may request any amount of memory.
type limited struct {
	memory.Allocator
	held, limit int64
}

func (l *limited) Allocate(size int) []byte {
	l.take(int64(size))
	return l.Allocator.Allocate(size)
}

func (l *limited) Reallocate(size int, b []byte) []byte {
	l.take(int64(size) - int64(len(b)))
	return l.Allocator.Reallocate(size, b)
}

func (l *limited) Free(b []byte) {
	atomic.AddInt64(&l.held, -int64(len(b)))
	l.Allocator.Free(b)
}

func (l *limited) take(more int64) {
	if held := atomic.AddInt64(&l.held, more); held > l.limit && more > 0 {
		atomic.AddInt64(&l.held, -more)
		panic(&fault.TooLargeError{What: "a batch of its rows", Bytes: held, Limit: l.limit,
			Hint: "fewer BlockRows, smaller batches or row groups in the file, or more MaxBytes"})
	}
}
