package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `as they come +recall of malignant (\S+),`, Count: 1, Floor: 0.8},
		clitest.Expect{Pattern: `malignant × 20 +recall of malignant (\S+),`, Count: 1, Floor: 0.95},
	)
}
