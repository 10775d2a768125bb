package progress

import (
	"io"

	"github.com/kernelearn/kernelearn/internal/progressbar"
)

// NewOnTerminal returns a bar for which any writer is a terminal.
func NewOnTerminal(to io.Writer, name string) *Bar {
	return &Bar{bar: progressbar.New(to, name, 0).Keep().OnTerminal()}
}
