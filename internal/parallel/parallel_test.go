package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kernelearn/kernelearn/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachOnce(t *testing.T) {
	for _, w := range []int{0, 1, 2, 7, 100} {
		for _, n := range []int{0, 1, 5, 64} {
			times := make([]atomic.Int64, n)
			assert.NoError(t, ForEach(context.Background(), w, n, func(i int) error { times[i].Add(1); return nil }))
			for i := range times {
				assert.EqualValues(t, 1, times[i].Load())
			}
		}
	}
}

func TestLowestErrorWins(t *testing.T) {
	second := make(chan struct{})
	err := ForEach(context.Background(), 2, 2, func(i int) error {
		if i == 1 {
			close(second)
		} else {
			<-second // the first task fails after the second
		}
		return fmt.Errorf("task %d", i)
	})
	assert.EqualError(t, err, "task 0")
	assert.EqualError(t, ForEach(context.Background(), 1, 4, func(i int) error { return fmt.Errorf("task %d", i) }), "task 0")
}

func TestStopsAfterAnError(t *testing.T) {
	var ran atomic.Int64
	bad := errors.New("bad")
	assert.ErrorIs(t, ForEach(context.Background(), 2, 1000, func(_ int) error { ran.Add(1); return bad }), bad)
	assert.LessOrEqual(t, ran.Load(), int64(2))
}

func TestContext(t *testing.T) {
	for _, w := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		var ran atomic.Int64
		err := ForEach(ctx, w, 1000, func(_ int) error {
			ran.Add(1)
			cancel()
			return nil
		})
		assert.ErrorIs(t, err, context.Canceled)
		assert.LessOrEqual(t, ran.Load(), int64(w))
	}
}

// A panic becomes an error of ForEach, with its position, and a panic of Do in the caller's goroutine.
func TestPanicIsAnError(t *testing.T) {
	oh := errors.New("oh")
	for _, w := range []int{1, 3} {
		for _, value := range []any{"oh", oh} {
			err := ForEach(context.Background(), w, 10, func(i int) error {
				if i == 4 {
					return ForEach(context.Background(), w, 2, func(int) error { panic(value) })
				}
				return nil
			})
			var p *fault.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, value, p.Value)
			assert.ErrorIs(t, err, fault.ErrParam)
			assert.Equal(t, value == any(oh), errors.Is(err, oh))
			assert.Regexp(t, `^panic at parallel_test.go:\d+: oh$`, err.Error())
		}
		assert.Panics(t, func() {
			Do(w, 10, func(i int) {
				if i == 4 {
					panic("oh")
				}
			})
		})
	}
}

// Nested calls start no further goroutines if all processors are busy.
func TestNested(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var working, most, ran atomic.Int64
	var begin, end sync.WaitGroup
	begin.Add(2)
	end.Add(2)
	assert.NoError(t, ForEach(context.Background(), 2, 2, func(int) error {
		begin.Done()
		begin.Wait() // both are running
		err := ForEach(context.Background(), 8, 50, func(int) error {
			now := working.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			time.Sleep(100 * time.Microsecond)
			working.Add(-1)
			ran.Add(1)
			return nil
		})
		end.Done()
		end.Wait()
		return err
	}))
	assert.EqualValues(t, 100, ran.Load())
	assert.LessOrEqual(t, most.Load(), int64(2))
	assert.Zero(t, begun.Load(), "none is counted for ever")
}

// Enter is called before the first parallel call and leave after the last, for any number of goroutines and any outcome.
func TestAround(t *testing.T) {
	var entered, left atomic.Int64
	OnParallel(func() { entered.Add(1) }, func() { left.Add(1) })
	defer OnParallel(nil, nil)
	within := func() bool { return entered.Load() == left.Load()+1 }
	calls := int64(0)
	for _, w := range []int{1, 3} {
		for _, fails := range []string{"", "error", "panic"} {
			calls++
			call := func() {
				err := ForEach(context.Background(), w, 4, func(i int) error {
					assert.True(t, within())
					assert.NoError(t, ForEach(context.Background(), w, 3, func(int) error { assert.True(t, within()); return nil }))
					assert.True(t, within(), "the inner call's end is not the outer one's")
					switch {
					case i == 3 && fails == "error":
						return errors.New("bad")
					case i == 3 && fails == "panic":
						panic("oh")
					}
					return nil
				})
				assert.Equal(t, fails != "", err != nil)
			}
			call()
			assert.Equal(t, calls, entered.Load())
			assert.Equal(t, calls, left.Load())
		}
	}
	assert.NoError(t, ForEach(context.Background(), 2, 1, func(int) error {
		assert.False(t, within(), "a single task leaves the processors to its calls")
		return nil
	}))
}
