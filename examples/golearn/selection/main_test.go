package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `accuracy (\S+) with \S+\(.*out of`, Count: 1, Floor: 0.93},
		clitest.Expect{Pattern: `parameter \S+, entropy (\S+)`},
	)
}
