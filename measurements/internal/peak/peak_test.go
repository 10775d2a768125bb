package peak

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Memory that was written to is included in the peak, even after it was returned.
func TestBytes(t *testing.T) {
	Reset()
	before := Bytes()
	if before == nil {
		t.Skip("the system does not tell")
	}
	memory := make([]byte, 256<<20)
	for i := 0; i < len(memory); i += 512 {
		memory[i] = 1
	}
	runtime.KeepAlive(memory)
	assert.Greater(t, *Bytes(), *before+100<<20)
}
