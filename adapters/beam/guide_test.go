package kernelbeam

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/guide"
)

// TestGuide runs the programs of docs/guide that import this module.
func TestGuide(t *testing.T) { guide.Run(t, "adapters/beam") }
