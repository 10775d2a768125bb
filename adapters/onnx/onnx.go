// Package onnx writes fitted models as ONNX models, which runtimes serve from Python, the browser, C# and elsewhere without
// Go: docs/onnx.md has each in ten lines.
//
//	err := onnx.Write(file, model, d, nil) // model is fitted on d columns
//
// What is written are primitive operators of opset 18 on numbers of double precision (package graph), so a runtime gives what Predict
// gives, to 1e-10 of its size. A model has one input, x, rows of d columns, as many as come; and outputs by what it is:
//
//	y                        of a regressor, one number a row, and with Options.Variance its variance;
//	                         of a MultiRegressor, a column for each target
//	label                    of a classifier, the label of the class, int64
//	probabilities or scores  a column for each class, by ascending labels, which the metadata "classes" lists as JSON
//	features                 of a transformer
//
// Every transformer, pipeline, estimator and search of this module can be written, and types of one's own that have
// graph.Grapher. What cannot says so by an error that names the type and wraps errors.ErrUnsupported. A model that is
// served checks nothing: rows with NaN or infinities, which Predict refuses, give some numbers.
package onnx

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/check"
)

// opset and irVersion are those that are written: runtimes since the beginning of 2023 read them.
const (
	opset     = 18
	irVersion = 8
)

// Options may be nil.
type Options struct {
	// Variance adds the output variance of a regressor, which may take a matrix of as many rows as Fit saw.
	Variance bool
	// Float32 makes the input float32. It is taken to double precision at once.
	Float32 bool
	// Columns are names of the columns of x, which stand in the metadata "columns" as JSON, for the program that serves the model. If they
	// are nil, they are those that the model knows ([estimators.ColumnNamer]).
	Columns []string
	// Doc is a text that the model file holds, for people.
	Doc string
}

// mostBytes is what a protocol buffer may have, less what stands beside the numbers.
var mostBytes int64 = math.MaxInt32 - 1<<20

// Write writes a fitted model for rows of so many columns, which Fit saw. Errors: ErrNotFitted; ErrShape for another
// number of columns; ErrTooLarge over 2 GiB; one that wraps errors.ErrUnsupported and names the type that cannot be written; or
// w's.
func Write(w io.Writer, model any, columns int, opt *Options) error {
	data, err := marshal(model, columns, opt)
	if err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	_, err = w.Write(data)
	return err
}

func marshal(model any, columns int, opt *Options) ([]byte, error) {
	if opt == nil {
		opt = &Options{}
	}
	if opt.Columns == nil {
		named := *opt
		named.Columns, opt = estimators.ColumnNames(model), &named
	}
	if columns < 1 {
		return nil, &estimators.ParamError{Type: "Write", Field: "columns", Value: columns, Want: ">= 1"}
	}
	for field, texts := range map[string][]string{"Columns": opt.Columns, "Doc": {opt.Doc}} {
		if err := check.Text("Options", field, texts...); err != nil {
			return nil, err
		}
	}
	if n := len(opt.Columns); n > 0 && n != columns {
		return nil, &estimators.ShapeError{What: "Options.Columns has", Got: n, Unit: "names",
			Want: fmt.Sprintf("there are %d columns", columns)}
	}
	g, x := graph.New(columns)
	of, err := graph.Build(model, x)
	if err != nil {
		return nil, err
	}
	outs, err := outputsOf(model, of, opt)
	if err == nil {
		err = g.Err()
	}
	if err != nil {
		return nil, err
	}
	doc := &document{graph: g, opt: opt}
	return doc.marshal(of.Classes, outs)
}

// output is one of a model's.
type output struct {
	name  string
	value graph.Value
	flat  bool // a number for each row and not a column of them
}

func outputsOf(model any, of graph.Outputs, opt *Options) (outs []output, err error) {
	if opt.Variance && of.Variance == nil {
		return nil, graph.Unsupported(model, "it has no variance")
	}
	add := func(name string, v graph.Value, flat bool) {
		if !v.IsZero() {
			outs = append(outs, output{name, v, flat})
		}
	}
	add("features", of.Rows, false)
	_, several := model.(estimators.MultiRegressor)
	add("y", of.Mean, !several)
	if opt.Variance {
		v, err := of.Variance()
		if err != nil {
			return nil, fmt.Errorf("%T: variance: %w", model, err)
		}
		add("variance", v, !several)
	}
	if len(of.Classes) > 0 && !of.Decision.IsZero() {
		add("label", of.Decision.ArgMax(), true)
		if of.Proba.IsZero() {
			add("scores", of.Decision, false)
		}
	}
	add("probabilities", of.Proba, false)
	if len(outs) == 0 {
		return nil, graph.Unsupported(model, "its Graph has no outputs")
	}
	return outs, nil
}

// document is a model file in the making.
type document struct {
	graph        *graph.Graph
	opt          *Options
	initializers map[string]bool // of integers, by name
	body         message
}

// The types of elements.
const (
	typeFloat  = 1
	typeInt64  = 7
	typeDouble = 11
)

func (d *document) marshal(classes []int, outs []output) ([]byte, error) {
	d.initializers = map[string]bool{}
	var values []graph.Value
	for _, o := range outs {
		values = append(values, o.value)
	}
	needed := d.graph.Needed(values...)
	size := int64(0)
	for _, id := range needed {
		size += 8 * int64(len(d.graph.Nodes()[id].Data))
	}
	if size > mostBytes {
		return nil, &estimators.TooLargeError{What: "the model as a protocol buffer", Bytes: size, Limit: mostBytes,
			Hint: "fewer rows or landmarks"}
	}
	for _, id := range needed {
		d.node(id)
	}
	if len(needed) == 0 || needed[0] != 0 {
		d.input() // of a model that looks at no column
	}
	for _, o := range outs {
		d.output(o, classes)
	}
	var doc message
	doc.integer(1, irVersion)
	doc.text(2, "kernelearn")
	if d.opt.Doc != "" {
		doc.text(6, d.opt.Doc)
	}
	d.body.text(2, "model")
	doc.bytes(7, d.body.data)
	doc.message(8, func(m *message) { m.integer(2, opset) })
	if len(classes) > 0 {
		property(&doc, "classes", classes)
	}
	if len(d.opt.Columns) > 0 {
		property(&doc, "columns", d.opt.Columns)
	}
	return doc.data, nil
}

// property adds an entry of metadata.
func property(doc *message, key string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // neither numbers nor texts give one
	}
	doc.message(14, func(m *message) {
		m.text(1, key)
		m.bytes(2, text)
	})
}

func name(id int) string {
	if id == 0 {
		return "x"
	}
	return "v" + strconv.Itoa(id)
}

// node writes an operator or a constant.
func (d *document) node(id int) {
	n := d.graph.Nodes()[id]
	var inputs []string
	for _, in := range n.Inputs {
		inputs = append(inputs, d.name(in))
	}
	switch n.Op {
	case "Input":
		d.input()
	case "Constant":
		d.body.message(5, func(m *message) {
			m.integers(1, int64(n.Rows), int64(n.Cols))
			m.integer(2, typeDouble)
			m.text(8, name(id))
			m.doubles(9, n.Data)
		})
	case "ReduceSum", "ReduceMax", "ReduceMin":
		d.operator(n.Op, name(id), append(inputs, d.integers(int64(n.Axis))), attribute{"keepdims", 1})
	case "ArgMax":
		d.operator(n.Op, name(id), inputs, attribute{"axis", int64(n.Axis)}, attribute{"keepdims", 1})
	case "Gather":
		d.operator(n.Op, name(id), append(inputs, d.integers(indices(n.Indices)...)), attribute{"axis", int64(n.Axis)})
	case "Concat":
		d.operator(n.Op, name(id), inputs, attribute{"axis", int64(n.Axis)})
	case "Cast":
		d.operator(n.Op, name(id), inputs, attribute{"to", typeDouble})
	default:
		d.operator(n.Op, name(id), inputs)
	}
}

func indices(of []int) []int64 {
	out := make([]int64, len(of))
	for i, v := range of {
		out[i] = int64(v)
	}
	return out
}

// name of a value: with Float32 the rows are what the input is cast to.
func (d *document) name(id int) string {
	if id == 0 && d.opt.Float32 {
		return "double"
	}
	return name(id)
}

func (d *document) input() {
	typ := int64(typeDouble)
	if d.opt.Float32 {
		typ = typeFloat
		d.operator("Cast", "double", []string{"x"}, attribute{"to", typeDouble})
	}
	d.described(11, "x", typ, int64(d.graph.Nodes()[0].Cols))
}

// described says what type an input or an output has; 0 columns are none.
func (d *document) described(field int, name string, typ, columns int64) {
	d.body.message(field, func(m *message) {
		m.text(1, name)
		m.message(2, func(m *message) {
			m.message(1, func(m *message) {
				m.integer(1, typ)
				m.message(2, func(m *message) {
					m.message(1, func(m *message) { m.text(2, "N") })
					if columns > 0 {
						m.message(1, func(m *message) { m.integer(1, columns) })
					}
				})
			})
		})
	})
}

func (d *document) output(o output, classes []int) {
	n := d.graph.Nodes()[o.value.ID()]
	from, typ := d.name(o.value.ID()), int64(typeDouble)
	switch {
	case n.Kind == graph.Int64: // the index of a class
		typ = typeInt64
		d.operator("Squeeze", o.name+"_index", []string{from, d.integers(1)})
		d.operator("Gather", o.name, []string{d.integers(indices(classes)...), o.name + "_index"}, attribute{"axis", 0})
	case o.flat:
		d.operator("Squeeze", o.name, []string{from, d.integers(1)})
	default:
		d.operator("Identity", o.name, []string{from})
	}
	columns := int64(n.Cols)
	if o.flat {
		columns = 0
	}
	d.described(12, o.name, typ, columns)
}

// attribute is a number that an operator has.
type attribute struct {
	name  string
	value int64
}

func (d *document) operator(op, out string, inputs []string, attributes ...attribute) {
	d.body.message(1, func(m *message) {
		for _, in := range inputs {
			m.text(1, in)
		}
		m.text(2, out)
		m.text(3, out)
		m.text(4, op)
		for _, a := range attributes {
			m.message(5, func(m *message) {
				m.text(1, a.name)
				m.integer(3, a.value)
				m.integer(20, 2) // an integer
			})
		}
	})
}

// integers returns the name of a constant of integers.
func (d *document) integers(values ...int64) string {
	name := "i"
	for _, v := range values {
		name += "_" + strconv.FormatInt(v, 10)
	}
	if len(name) > 40 {
		name = "integers" + strconv.Itoa(len(d.initializers)) // which are not looked for again
	}
	if !d.initializers[name] {
		d.initializers[name] = true
		d.body.message(5, func(m *message) {
			m.integers(1, int64(len(values)))
			m.integer(2, typeInt64)
			m.text(8, name)
			m.longs(9, values)
		})
	}
	return name
}
