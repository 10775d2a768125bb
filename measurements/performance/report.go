package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// report holds the results of the items. -json writes it and -draw reads it.
type report struct {
	Processors int        `json:"processors"`
	Rounds     int        `json:"rounds"`
	BLAS       []string   `json:"blas"`
	Items      []itemLine `json:"items"`
}

// itemLine holds the results of an item: the smallest seconds with each BLAS, and a measure of the outcome. If there is a peer, it
// also holds the peer's seconds and measure.
type itemLine struct {
	Name        string     `json:"name"`
	Peer        string     `json:"peer"`
	Seconds     []float64  `json:"seconds"` // in the order of report.BLAS
	PeerSeconds *float64   `json:"peer_seconds,omitempty"`
	Measure     float64    `json:"measure"`
	PeerMeasure *float64   `json:"peer_measure,omitempty"`
	Goals       [2]float64 `json:"goals"` // goals for the ratio, with simdblas and OpenBLAS
}

func (r report) save(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

func readReport(file string) (r report, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	for _, it := range r.Items {
		if len(it.Seconds) != len(r.BLAS) {
			return r, fmt.Errorf("%s: item %s has seconds of %d BLAS, want %d", file, it.Name, len(it.Seconds), len(r.BLAS))
		}
	}
	return r, nil
}

// blasTitles maps each BLAS to its title on the page.
var blasTitles = map[string]string{"gonum": "without import", "simdblas": "simdblas", "openblas": "OpenBLAS"}

// draw writes the table of docs/measured/performance.md.
func (r report) draw(out io.Writer) error {
	var b strings.Builder
	b.WriteString("| item | peer's seconds |")
	for _, name := range r.BLAS {
		fmt.Fprintf(&b, " %s: seconds | ratio |", blasTitles[name])
	}
	b.WriteString(" goal for the ratio, simdblas / OpenBLAS | measure of the result: ours | peer's |\n" + strings.Repeat("|---",
		5+2*len(r.BLAS)) + "|\n")
	for _, it := range r.Items {
		fmt.Fprintf(&b, "| %s | %s |", it.Name, digits(it.PeerSeconds))
		for _, s := range it.Seconds {
			ratio := "-"
			if it.PeerSeconds != nil {
				ratio = fmt.Sprintf("%.3f", s / *it.PeerSeconds)
			}
			fmt.Fprintf(&b, " %s | %s |", digits(&s), ratio)
		}
		fmt.Fprintf(&b, " %v / %v | %s | %s |\n", it.Goals[0], it.Goals[1], digits(&it.Measure), digits(it.PeerMeasure))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// digits formats a number with four digits, and a missing number with a mark.
func digits(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *v)
}
