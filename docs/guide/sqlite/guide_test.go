// Package sqlite_test runs the guide's program for databases. The package is a module of its own, because the program needs a
// driver.
package sqlite_test

import (
	"testing"

	_ "modernc.org/sqlite" // the driver of the program

	_ "github.com/kernelearn/kernelearn/adapters/table" // so that go.mod lists what the program needs
	"github.com/kernelearn/kernelearn/internal/testkit/guide"
)

// TestGuide runs the programs of docs/guide that import the driver.
func TestGuide(t *testing.T) { guide.Run(t, "docs/guide/sqlite") }
