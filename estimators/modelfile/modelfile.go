package modelfile

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	kind    = "modelfile"
	version = 1
	typ     = "modelfile"
	module  = "github.com/kernelearn/kernelearn"
)

// Register registers the type T under a name, such as "mypackage.Regressor". T is a struct, or a pointer to one, that has
// MarshalBinary and UnmarshalBinary, or it is the type of a setting, such as a kernel. Call Register in an init function. It panics
// if the name or the type is already registered differently.
func Register[T any](name string) { registry.Add[T](name, registry.Type{}) }

// Notes holds information that a model does not contain. It is printed and has no other effect.
type Notes struct {
	Columns []string // names of all columns of x, or nil if the model stores them
	Classes []string // names of the classes, in the order of the model's Classes
	Comment string
}

// stored holds the contents of a file.
type stored struct {
	Library string
	Head    head
	Model   []byte
	Goes    []byte `cbor:",omitempty"` // statistics from which PartialFit continues

	size int
}

// head describes the model in a file.
type head struct {
	Type, Package string
	Settings      settings.Value
	Needs         []string `cbor:",omitempty"` // omitted functions that the model needs for predictions
	Kernel        string   `cbor:",omitempty"`
	Columns       int      `cbor:",omitempty"`
	Classes       []int    `cbor:",omitempty"`
	Notes         Notes
	Parts         []partInfo `cbor:",omitempty"`
	// Uses lists the types of parts that Settings does not contain, such as the estimator that a search built.
	Uses []settings.Import `cbor:",omitempty"`
}

// partInfo describes a fitted part in a file.
type partInfo struct {
	Name, Type string
	Settings   []settings.Pair `cbor:",omitempty"`
	Kernel     string          `cbor:",omitempty"`
	Columns    int             `cbor:",omitempty"`
	Classes    []int           `cbor:",omitempty"`
	Parts      []partInfo      `cbor:",omitempty"`
}

// Save writes a fitted model to a file atomically: a reader of the path finds either the old file or the new one. It returns
// ErrNotFitted or the errors of the file system. It returns ErrParam if the type of the model, of a part or of a setting is not
// registered.
func Save(path string, model any) error { return SaveNoted(path, model, Notes{}) }

// SaveNoted is like Save and adds notes.
func SaveNoted(path string, model any, n Notes) error {
	data, err := Marshal(model, n)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, data)
}

// Checkpoint is like Save and adds the statistics from which PartialFit continues (estimators.Continuer). After the file is loaded
// in another program, PartialFit continues as if the first program had not ended. The statistics may be larger than the model. It
// returns ErrNotFitted if the model currently has no statistics, as after Fit. If the model never has any, the error wraps
// errors.ErrUnsupported.
func Checkpoint(path string, model any) error {
	data, err := MarshalCheckpoint(model, Notes{})
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, data)
}

// MarshalCheckpoint returns the contents of the file that Checkpoint would write, with notes.
func MarshalCheckpoint(model any, n Notes) ([]byte, error) {
	c, ok := model.(estimators.Continuer)
	if !ok || !estimators.Supports(model, estimators.Continuing) {
		return nil, estimators.Unsupported(typ, model, estimators.Continuing)
	}
	goes, err := c.MarshalStatistics()
	if err != nil {
		return nil, err
	}
	return marshal(model, n, goes)
}

// Write writes a fitted model. It returns the errors of Save and of w.
func Write(w io.Writer, model any) error {
	data, err := Marshal(model, Notes{})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Marshal returns the contents of a file for a fitted model.
func Marshal(model any, n Notes) ([]byte, error) { return marshal(model, n, nil) }

func marshal(model any, n Notes, goes []byte) ([]byte, error) {
	if check.IsNil(model) {
		return nil, fault.Param(typ, "model", "nil", "a fitted model")
	}
	m, ok := model.(encoding.BinaryMarshaler)
	if !ok || !estimators.Supports(model, estimators.Marshalling) {
		return nil, estimators.Unsupported(typ, model, estimators.Marshalling)
	}
	set, err := settings.Encode(model)
	if err != nil {
		return nil, err
	}
	known, _ := registry.Named(set.Type)
	if _, ok := reflect.New(known.Of).Interface().(encoding.BinaryUnmarshaler); !ok {
		return nil, fault.Param(typ, "model", fmt.Sprintf("%T", model), "a type with UnmarshalBinary")
	}
	data, err := m.MarshalBinary()
	if err != nil {
		return nil, err
	}
	set.Pointer = true
	named := set.Imports(nil)
	f, uses := factsOf(model, 0, named)
	h := head{Type: set.Type, Package: set.Package, Settings: set, Kernel: f.Kernel, Columns: f.Columns, Classes: f.Classes, Notes: n,
		Parts: f.Parts, Uses: uses[len(named):]}
	v := reflect.Indirect(reflect.ValueOf(model))
	for _, name := range known.Needs {
		if !v.FieldByName(name).IsZero() {
			h.Needs = append(h.Needs, name)
		}
	}
	if len(h.Notes.Columns) == 0 {
		h.Notes.Columns = estimators.ColumnNames(model)
	}
	if err := h.noted(); err != nil {
		return nil, err
	}
	if known.Names != nil {
		columns, classes := known.Names(model)
		if len(h.Notes.Columns) == 0 {
			h.Notes.Columns = columns
		}
		if len(h.Notes.Classes) == 0 {
			h.Notes.Classes = classes
		}
		if h.Columns == 0 {
			h.Columns = len(columns)
		}
	}
	return codec.Marshal(kind, version, stored{Library: Library(), Head: h, Model: data, Goes: goes})
}

// noted returns an error if the notes are invalid.
func (h *head) noted() error {
	for field, texts := range map[string][]string{"Columns": h.Notes.Columns, "Classes": h.Notes.Classes, "Comment": {h.Notes.Comment}} {
		if err := check.Text(typ, "Notes."+field, texts...); err != nil {
			return err
		}
	}
	if k := len(h.Notes.Columns); k > 0 && h.Columns > 0 && k != h.Columns {
		return fault.Shape(typ+": Notes.Columns has", k, "names", "the model has %d columns", h.Columns)
	}
	if k := len(h.Notes.Classes); k > 0 && k != len(h.Classes) {
		return fault.Shape(typ+": Notes.Classes has", k, "names", "the model has %d classes", len(h.Classes))
	}
	return nil
}

// mostParts limits the depth to which parts are described.
const mostParts = 8

// factsOf describes a fitted model and its parts. It appends the types in the settings of the parts to told, and returns the
// result.
func factsOf(model any, depth int, told []settings.Import) (out partInfo, _ []settings.Import) {
	if k, ok := model.(interface{ ChosenKernel() kernels.Kernel }); ok {
		if kernel := k.ChosenKernel(); !check.IsNil(kernel) {
			out.Kernel = kernel.String()
		}
	}
	if c, ok := model.(interface{ Classes() []int }); ok {
		out.Classes = c.Classes()
	}
	out.Columns = columnsOf(model)
	known, ok := registry.Typed(reflect.TypeOf(model))
	if !ok || known.Parts == nil || depth == mostParts {
		return out, told
	}
	for _, p := range known.Parts(model) {
		var one partInfo
		one, told = factsOf(p.Value, depth+1, told)
		one.Name, one.Type = p.Name, registry.NameOf(p.Value)
		if set, err := settings.Encode(p.Value); err == nil {
			one.Settings, told = set.Pairs(), set.Imports(told)
		}
		out.Parts = append(out.Parts, one)
	}
	return out, told
}

// columnsOf returns the number of columns that a model expects. If a row with one column is an error, it reads the number from the
// error. It returns 0 if the error does not contain it.
func columnsOf(model any) int {
	x := mat.NewDense(1, 1, nil)
	var err error
	switch m := model.(type) {
	case estimators.Regressor:
		_, err = m.Predict(x)
	case estimators.Classifier:
		_, err = m.Predict(x)
	case estimators.MultiRegressor:
		_, err = m.Predict(x)
	case estimators.Detector:
		_, err = m.Score(x)
	case transformers.Transformer:
		_, err = m.Transform(x)
	default:
		return 0
	}
	if err == nil {
		return 1
	}
	return fault.FittedColumns(err)
}

// Library returns the version of this library in the running program, or "(devel)" if it is unknown.
func Library() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return devel
	}
	v := ""
	if info.Main.Path == module {
		v = info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == module {
			if v = d.Version; d.Replace != nil && d.Replace.Version != "" {
				v = d.Replace.Version
			}
		}
	}
	if v == "" {
		return devel
	}
	return v
}

const devel = "(devel)"

// Load reads a file that Save wrote, and returns the model as a T. T is the type of the model, which is a pointer type, or an
// interface that the model implements, such as any.
//
// It returns the errors of the file system, or ErrBadModel. If the type in the file is not a T, the error names this type. If types
// in the file are not registered, it names all missing imports. If the file is newer, it names both versions.
func Load[T any](path string) (T, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		var none T
		return none, err
	}
	return Unmarshal[T](data)
}

// Read reads the output of Write. See Load.
func Read[T any](r io.Reader) (T, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		var none T
		return none, err
	}
	return Unmarshal[T](data)
}

// Unmarshal reads the bytes of a file. See Load.
func Unmarshal[T any](data []byte) (T, error) {
	var none T
	s, err := open(data)
	if err != nil {
		return none, err
	}
	if len(s.Head.Needs) > 0 {
		return none, fault.BadModel(kind, "a %s needs %s, a function, which no file holds: read it by ReadInto into a value that has it",
			s.Head.Type, strings.Join(s.Head.Needs, " and "))
	}
	// A wrong type is reported before time is spent on the model.
	known, ok := registry.Named(s.Head.Type)
	if ok && !reflect.PointerTo(known.Of).AssignableTo(reflect.TypeFor[T]()) {
		return none, fault.BadModel(kind, "the file holds a *%s, which is not of type %v", s.Head.Type, reflect.TypeFor[T]())
	}
	v, err := s.value(nil)
	if err != nil {
		return none, err
	}
	return v.(T), nil
}

// ReadInto reads the bytes of a file into model, which must be a pointer to the type in the file. The settings become those of the
// file, except for the omitted ones, which are kept. An error leaves model unchanged.
func ReadInto(data []byte, model any) error {
	s, err := open(data)
	if err != nil {
		return err
	}
	if err := s.missing(s.Head.Settings.Imports(nil)); err != nil {
		return err
	}
	known, _ := registry.Named(s.Head.Type)
	into := reflect.ValueOf(model)
	if into.Kind() != reflect.Pointer || into.IsNil() || into.Type().Elem() != known.Of {
		return fault.Param(typ, "model", fmt.Sprintf("%T", model), "a *"+s.Head.Type+", which the file holds")
	}
	for _, name := range s.Head.Needs {
		if f := into.Elem().FieldByName(name); !f.IsValid() || f.IsZero() {
			return fault.Param(typ, name, "nil", "the function that the model was fitted with")
		}
	}
	v, err := s.value(model)
	if err != nil {
		return err
	}
	into.Elem().Set(reflect.ValueOf(v).Elem())
	return nil
}

// open decodes everything except the model.
func open(data []byte) (*stored, error) {
	var s stored
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	if s.Head.Type != s.Head.Settings.Type || !s.Head.Settings.Pointer {
		return nil, fault.BadModel(kind, "settings of a %q in the file of a %q", s.Head.Settings.Type, s.Head.Type)
	}
	s.size = len(data)
	return &s, nil
}

// missing returns an error if some of the types are not registered. The error also names all other missing types in the file, so
// that all imports can be added at once.
func (s *stored) missing(types []settings.Import) error {
	if len(settings.Unknown(types)) == 0 {
		return nil
	}
	return &fault.BadModelError{Kind: kind, Reason: s.withVersion(&settings.MissingError{Types: settings.Unknown(s.imports())}).Error()}
}

// imports returns all types that the file names, each once.
func (s *stored) imports() []settings.Import {
	out := s.Head.Settings.Imports(nil)
	for _, u := range s.Head.Uses {
		out = settings.AppendImport(out, u)
	}
	return out
}

// value returns the model. The values of settings that the file omits are those of old.
func (s *stored) value(old any) (any, error) {
	if err := s.missing(s.Head.Settings.Imports(nil)); err != nil {
		return nil, err
	}
	v, err := settings.New(s.Head.Settings, old, s.size)
	if err != nil {
		return nil, fault.BadModel(kind, "%v", s.withVersion(err))
	}
	u, ok := v.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, fault.BadModel(kind, "a %T has no UnmarshalBinary", v)
	}
	if err := u.UnmarshalBinary(s.Model); err != nil {
		// A setting with functions, such as a Space, can build parts whose types are not registered. Missing types are therefore an
		// error only if decoding fails.
		if missing := s.missing(s.Head.Uses); missing != nil {
			return nil, missing
		}
		if !errors.Is(err, fault.ErrBadModel) {
			return nil, fault.BadModel(kind, "%v", s.withVersion(err))
		}
		return nil, s.withVersion(err)
	}
	if len(s.Goes) == 0 {
		return v, nil
	}
	c, ok := v.(estimators.Continuer)
	if !ok || !estimators.Supports(v, estimators.Continuing) {
		return nil, fault.BadModel(kind, "statistics to continue from of a %T, which has none", v)
	}
	if err := c.UnmarshalStatistics(s.Goes); err != nil {
		return nil, fault.BadModel(kind, "%v", s.withVersion(err))
	}
	return v, nil
}

// withVersion adds to an error the version that wrote the file, if it differs from the version of the running program.
func (s *stored) withVersion(err error) error {
	if now := Library(); s.Library != now {
		return fmt.Errorf("%w (written by kernelearn %.60q, this is %q)", err, s.Library, now)
	}
	return err
}
