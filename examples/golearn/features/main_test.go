package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

func TestOutput(t *testing.T) {
	clitest.Prints(t,
		clitest.Expect{Pattern: `without Impute: .*attribute "height", row 1`, Count: 1},
		clitest.Expect{Pattern: `with NoOneHot: .*"soil", which is categorical`, Count: 1},
		clitest.Expect{Pattern: `moss pine with unseen categories map\[soil:1\]`, Count: 1},
	)
}
