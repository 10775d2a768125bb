package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `\(it is (?:malignant|benign)\)`, Count: 3},
		clitest.Expect{Pattern: `intervals: (\d+) of 221`, Count: 1, Floor: 190},
	)
}
