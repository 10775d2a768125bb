package guarded

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// failing records a failure instead of ending the test.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, _ ...any) { f.said = format }

// The slice can be read, but not the memory next to it.
func TestCopy(t *testing.T) {
	for _, side := range Sides {
		for _, n := range []int{1, 3, 511, 512, 513} {
			v := make([]float64, n)
			v[n-1] = 7
			got := Copy(t, side, v)
			assert.Equal(t, v, got)
			beside := unsafe.Add(unsafe.Pointer(&got[0]), -8)
			if side == "after" {
				beside = unsafe.Add(unsafe.Pointer(&got[0]), 8*n)
			}
			sum := 0.0
			f := &failing{TB: t}
			Run(f, "inside", func() { sum += got[0] + got[n-1] })
			assert.Empty(t, f.said)
			Run(f, "beside", func() { sum += *(*float64)(beside) })
			assert.NotEmpty(t, f.said, "%d %s", n, side)
			assert.False(t, sum < 0)
		}
	}
	assert.Empty(t, Copy(t, "after", nil))
}

// An arena's slice is a copy. A write next to it is detected, and a read beyond the page ends the test.
func TestArena(t *testing.T) {
	a := NewArena(t, 1000)
	for _, place := range Places() {
		for _, n := range []int{0, 1, 7, 1000} {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(i)
			}
			got := a.Put(place, v)
			assert.Equal(t, v, got)
			assert.True(t, a.Intact())
			if n == 0 {
				continue
			}
			for _, beside := range []int{-1, n} {
				if place == "before" && beside < 0 || place == "after" && beside == n {
					f := &failing{TB: t}
					Run(f, "beside", func() { *(*float64)(unsafe.Add(unsafe.Pointer(&got[0]), 8*beside)) = 1 })
					assert.NotEmpty(t, f.said)
					continue
				}
				*(*float64)(unsafe.Add(unsafe.Pointer(&got[0]), 8*beside)) = 1
				assert.False(t, a.Intact(), "%s, %d", place, beside)
				a.Put(place, v)
			}
		}
	}
}
