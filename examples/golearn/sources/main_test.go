package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `play: yes \(it is yes\)`, Count: 2},
		clitest.Expect{Pattern: `play: no \(it is no\)`, Count: 2},
		clitest.Expect{Pattern: `the sky: sunny \(it is sunny\)`, Count: 1},
	)
}
