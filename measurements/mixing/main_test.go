package main

import (
	"testing"

	"github.com/kernelearn/kernelearn/internal/cli/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }
