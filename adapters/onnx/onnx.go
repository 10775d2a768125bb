// Package onnx writes fitted models as ONNX models, which can be served without Go, for example from Python, the browser or C#.
// docs/onnx.md shows a ten-line program for each of these.
//
//	err := onnx.Write(file, model, d, nil) // model is fitted on d columns
//
// Models are written as primitive operators of opset 18 on numbers of double precision (package graph), so that a runtime
// reproduces the output of Predict to a relative error of 1e-10. A model has one input, x, with any number of rows of d columns.
// Its outputs depend on its type:
//
//	y                        of a regressor, one number per row, and with Options.Variance its variance;
//	                         of a MultiRegressor, a column for each target
//	label                    of a classifier, the label of the class, int64
//	probabilities or scores  a column for each class, by ascending labels, which the metadata "classes" lists as JSON
//	features                 of a transformer
//
// Every transformer, pipeline, estimator and search of this module can be written, and so can custom types that implement
// graph.Grapher. For other types, Write returns an error that names the type and wraps errors.ErrUnsupported. A served model does
// not check its input: for rows with NaN or infinities, which Predict rejects, it returns arbitrary numbers.
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

// opset and irVersion are the versions of the ONNX files. Runtimes that were released since the beginning of 2023 read them.
const (
	opset     = 18
	irVersion = 8
)

// Options sets the outputs and the metadata of a model. If Options is nil, the zero value is used.
type Options struct {
	// Variance adds the variance of a regressor as an output. The file may then contain a matrix with a row for each training row.
	Variance bool
	// Float32 sets the type of the input to float32. The model then converts it to double precision first.
	Float32 bool
	// Columns lists the names of the columns of x. The metadata "columns" contains them as JSON, for the program that serves the
	// model. If Columns is nil, the names from the model are used ([estimators.ColumnNamer]).
	Columns []string
	// Doc is a description for users of the model file, which contains it.
	Doc string
}

// mostBytes is the largest size of a protocol buffer, minus a reserve for everything except numbers.
var mostBytes int64 = math.MaxInt32 - 1<<20

// Write writes a model that was fitted to rows with the given number of columns. It returns ErrNotFitted, ErrShape if the number of
// columns differs, ErrTooLarge above 2 GiB, or the error of w. For a type that cannot be written, the error names the type and
// wraps errors.ErrUnsupported.
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

// output is an output of a model.
type output struct {
	name  string
	value graph.Value
	flat  bool // the output is a vector with a number for each row
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

// document is a model file under construction.
type document struct {
	graph        *graph.Graph
	opt          *Options
	initializers map[string]bool // names of the constants of integers
	body         message
}

// Types of elements.
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
		d.input() // needed if the model uses no column
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

// property adds an entry to the metadata.
func property(doc *message, key string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // impossible for numbers and texts
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

// name returns the name of a value. With Float32, the rows are the result of the cast of the input.
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

// described writes the name and type of an input or an output. If columns is 0, it has no second dimension.
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

// attribute is a numeric attribute of an operator.
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

// integers adds a constant of integers, if the file does not contain it, and returns its name.
func (d *document) integers(values ...int64) string {
	name := "i"
	for _, v := range values {
		name += "_" + strconv.FormatInt(v, 10)
	}
	if len(name) > 40 {
		name = "integers" + strconv.Itoa(len(d.initializers)) // a long constant is not reused
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
