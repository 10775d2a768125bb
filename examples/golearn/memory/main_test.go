package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `the price is about (\d+)`, Count: 1, Floor: 200},
		clitest.Expect{Pattern: `slices: the row is far`, Count: 1},
		clitest.Expect{Pattern: `matrix: the row is near`, Count: 1},
	)
}
