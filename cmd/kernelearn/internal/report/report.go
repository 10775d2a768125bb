// Package report writes what is known of a model as one HTML file that needs no other: the data, what was learnt, how good predictions of
// held-out rows are, and where they fail.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// Report holds what the page shows. Empty parts are left out.
type Report struct {
	Title    string // what is predicted
	Source   string // the name of the table
	Rows     int
	Columns  []table.Column
	Model    string // one line
	Learnt   string // what the search compared, as a table of text
	Folds    int
	Metrics  []Metric
	Effects  []Picture
	Quality  []Picture
	Classes  *Confusion
	Overall  float64 // the share of all rows that Weak compares with
	WeakName string  // what the share is of
	Weak     []Slice
	Library  string
}

// Metric is a row of the table of metrics.
type Metric struct{ Name, Mean, StandardError, Meaning string }

// Confusion counts the rows of each class by the class that was predicted.
type Confusion struct {
	Names  []string
	Counts [][]int
	Recall []float64
}

// Slice is the rows with some values of a column.
type Slice struct {
	Column, Values string
	Rows           int
	Share          float64
	Low, High      float64 // of 95% for the share
}

// Picture is a picture with a title and a sentence that explains it.
type Picture struct {
	Title, Text string
	SVG         template.HTML
}

// Draw makes a picture of a plot, with a width and a height in inches.
func Draw(title, text string, p *plot.Plot, width, height float64) (Picture, error) {
	w, err := p.WriterTo(vg.Length(width)*vg.Inch, vg.Length(height)*vg.Inch, "svg")
	if err != nil {
		return Picture{}, err
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return Picture{}, err
	}
	_, svg, found := strings.Cut(b.String(), "<svg")
	if !found {
		return Picture{}, fmt.Errorf("report: no <svg> in the picture %q", title)
	}
	return Picture{title, text, template.HTML("<svg" + svg)}, nil //nolint:gosec // of gonum's own canvas, which escapes texts
}

//go:embed page.html
var page string

var functions = template.FuncMap{
	"percent": func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) },
}

var parsed = template.Must(template.New("report").Funcs(functions).Parse(page))

// WriteHTML writes the page.
func (r *Report) WriteHTML(w io.Writer) error { return parsed.Execute(w, r) }
