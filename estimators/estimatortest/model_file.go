package estimatortest

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/registry"
)

func checkModelFile(p *subject.Probe, s *subject.Subject) {
	m := s.Fitted(p, s.Train())
	m.Needs(p, estimators.Marshalling)
	known, ok := registry.Typed(reflect.TypeOf(m.Value))
	if !ok {
		p.Skip("is not known to package modelfile")
	}
	data, err := modelfile.Marshal(m.Value, modelfile.Notes{})
	p.Must("modelfile.Marshal", err)
	read, err := modelfile.Unmarshal[any](data)
	p.Must("modelfile.Unmarshal", err)
	if got, want := reflect.TypeOf(read), reflect.TypeOf(m.Value); got != want {
		p.Fatalf("modelfile.Unmarshal gave a %v, want a %v", got, want)
	}
	info, err := modelfile.Describe(data)
	p.Must("modelfile.Describe", err)
	sameSettings(p, m.Value, read, info.LeftOut)
	x := s.Test().X
	p.Same("the value that was read from a model file", m.Outputs(p, x), subject.Model{Kind: m.Kind, Value: read}.Outputs(p, x), 0)
	_, d := x.Dims()
	switch {
	case info.Type != known.Name || info.Package == "" || info.Library == "" || info.Checksum == "" || info.Bytes != len(data):
		p.Errorf("Describe returns %+v for a %s of %d bytes", info, known.Name, len(data))
	case info.Columns != d:
		p.Errorf("Describe reports %d columns, want %d", info.Columns, d)
	case m.Kind == subject.Classifiers && !slices.Equal(info.Classes, m.Classifier().Classes()):
		p.Errorf("Describe reports the classes %v, want %v", info.Classes, m.Classifier().Classes())
	}
	again, err := modelfile.Marshal(read, modelfile.Notes{})
	p.Must("modelfile.Marshal of the value that was read", err)
	if !bytes.Equal(data, again) {
		p.Errorf("the value from a model file writes a different file: %d bytes, first %d", len(again), len(data))
	}
}

// sameSettings fails unless the exported fields are the same, except for those in left.
func sameSettings(p *subject.Probe, want, got any, left []string) {
	w, g := reflect.Indirect(reflect.ValueOf(want)), reflect.Indirect(reflect.ValueOf(got))
	if w.Kind() != reflect.Struct {
		return
	}
	for i := range w.NumField() {
		f := w.Type().Field(i)
		if !f.IsExported() || slices.Contains(left, f.Name) {
			continue
		}
		if a, b := w.Field(i).Interface(), g.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			p.Errorf("the setting %s is %+v in the value that was read from a model file, want %+v", f.Name, b, a)
		}
	}
}
