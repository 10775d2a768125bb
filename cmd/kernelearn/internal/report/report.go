// Package report writes a description of a model as one self-contained HTML file: the data, the result of the fit, the quality of
// predictions for held-out rows, and the rows with the largest errors.
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

// Report holds the content of the page. Empty parts are left out.
type Report struct {
	Title    string // the name of the target
	Source   string // the name of the table
	Rows     int
	Columns  []table.Column
	Model    string // one line
	Learnt   string // the candidates of the search, as a table of text
	Folds    int
	Metrics  []Metric
	Effects  []Picture
	Quality  []Picture
	Classes  *Confusion
	Overall  float64 // the share for all rows, with which Weak is compared
	WeakName string  // description of the share
	Weak     []Slice
	Library  string
}

// Metric holds a row of the table of metrics.
type Metric struct{ Name, Mean, StandardError, Meaning string }

// Confusion counts the rows of each class by the predicted class.
type Confusion struct {
	Names  []string
	Counts [][]int
	Recall []float64
}

// Slice describes the rows with some values of a column.
type Slice struct {
	Column, Values string
	Rows           int
	Share          float64
	Low, High      float64 // bounds of the 95% interval of the share
}

// Picture is a picture with a title and a sentence that explains it.
type Picture struct {
	Title, Text string
	SVG         template.HTML
}

// Draw returns a plot as a picture, with a width and a height in inches.
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
