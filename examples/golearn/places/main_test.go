package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `(?m)^\*\S+ +(\S+) +\S+ +\S+ +\S+$`, Count: 6, Floor: 0.85},
		clitest.Expect{Pattern: `(?m)^\*\S+ +\S+ +\S+ +\S+ +(\S+)$`, Count: 6, Floor: 0.85},
	)
}
