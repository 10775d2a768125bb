package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/protocol"
)

// Time holds the wall-clock seconds of all runs with one -out. The time of an interrupted run is counted up to its last finished
// cell.
type Time struct {
	mu      sync.Mutex
	path    string
	begun   time.Time
	Seconds []float64 `json:"seconds"`
}

func partsPath(folder string) string { return filepath.Join(folder, "time.json") }

func ReadTime(folder string) (*Time, error) {
	p := &Time{path: partsPath(folder)}
	content, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(content, p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	return p, nil
}

// beginPart begins to count the time of another run.
func beginPart(folder string) (*Time, error) {
	p, err := ReadTime(folder)
	if err != nil {
		return nil, err
	}
	p.begun, p.Seconds = time.Now(), append(p.Seconds, 0)
	return p, nil
}

// note writes the seconds of this run up to now.
func (p *Time) note() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Seconds[len(p.Seconds)-1] = time.Since(p.begun).Seconds()
	return protocol.WriteJSON(p.path, p)
}

// Print prints the sum.
func (p *Time) Print(out io.Writer) {
	total := 0.0
	for _, s := range p.Seconds {
		total += s
	}
	fmt.Fprintf(out, "the cells took %v by the clock, in %d runs of the program\n",
		time.Duration(total*float64(time.Second)).Round(time.Second), len(p.Seconds))
}
