package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/internal/numeral"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

// dashed formats the median of values with two digits, or as a dash if there are none.
func dashed(values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	return standings.Short(standings.Median(values))
}

func decimals(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4f", v)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func shown(measures map[string]standings.Moment, name string) string {
	m, ok := measures[name]
	if !ok {
		return "-"
	}
	if m.SD == nil {
		return fmt.Sprintf("%.4g", m.Mean)
	}
	// The mean and the deviation have the same number of decimals, which shows three digits of the larger of the two.
	decimals := 4
	if size := math.Max(math.Abs(m.Mean), *m.SD); size >= 10 {
		decimals = max(0, 3-int(math.Log10(size)))
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, m.Mean, decimals, *m.SD)
}

func scaled(format string, v *float64, unit float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v/unit)
}

// align writes a Markdown table whose columns are also aligned on a terminal.
func align(b *strings.Builder, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for j, cell := range line {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	rule := make([]string, len(widths))
	for j, w := range widths {
		rule[j] = strings.Repeat("-", w-1) + ":"
	}
	rule[0] = strings.Repeat("-", widths[0])
	for i, line := range lines {
		for j, cell := range line {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if j == 0 {
				fmt.Fprintf(b, "| %s%s |", cell, pad)
			} else {
				fmt.Fprintf(b, " %s%s |", pad, cell)
			}
		}
		b.WriteString("\n")
		if i == 0 {
			fmt.Fprintf(b, "| %s |\n", strings.Join(rule, " | "))
		}
	}
}

func thousands(n int) string { return numeral.Thousands(strconv.Itoa(n)) }
