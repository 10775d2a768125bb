package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `accuracy (\S+) \(`, Count: 1, Floor: 0.9},
		clitest.Expect{Pattern: `Overall R2: (\S+)`, Count: 2, Floor: 0.35},
	)
}
