package golearn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

type pipelinePayload struct {
	NoOneHot bool
	Input    []column
	Steps    []stepPayload
	Class    column
	Final    finalPayload
}

// stepPayload holds one of the two.
type stepPayload struct {
	Transform *transformPayload
	Filter    *filterPayload
}

type transformPayload struct {
	Encoder     encoder
	Output      []column
	Transformer []byte
}

// filterPayload is the training grid that the filter's builder saw, 8 bytes a
// cell, and what the filter made of its attributes.
type filterPayload struct {
	Columns []column
	Cells   [][]byte
	Rows    int
	Class   column
	Labels  []byte
	Output  []column
	Digest  []byte // SHA-256 of the filtered training cells
}

// finalPayload holds the bytes of a Final of this package, or the name and the
// archive of one of golearn.
type finalPayload struct {
	Ours    []byte
	Type    string
	Archive []archiveEntry
}

// MarshalBinary returns the fitted model: what the transformers learned, the
// training grids of the filters, and Final. Errors: ErrNotFitted, and one that
// wraps errors.ErrUnsupported if a transformer or Final cannot be marshalled.
func (p *Pipeline) MarshalBinary() ([]byte, error) {
	m := p.fitted
	if m == nil {
		return nil, fault.NotFitted(pipelineName)
	}
	out := pipelinePayload{NoOneHot: p.NoOneHot, Input: m.input, Class: m.class}
	for i, s := range m.steps {
		sp, err := s.payload()
		if err != nil {
			return nil, fmt.Errorf("%s: step %d: %w", pipelineName, i, err)
		}
		out.Steps = append(out.Steps, sp)
	}
	var err error
	if out.Final, err = marshalFinal(m.final); err != nil {
		return nil, fmt.Errorf("%s: final: %w", pipelineName, err)
	}
	return codec.Marshal(pipelineKind, payloadVersion, out)
}

func marshalFinal(c base.Classifier) (out finalPayload, err error) {
	if o, ok := c.(ours); ok {
		out.Ours, err = o.MarshalBinary()
		return out, err
	}
	out.Type = fmt.Sprintf("%T", c)
	out.Archive, err = archive(c)
	return out, err
}

func (f *fittedTransform) payload() (stepPayload, error) {
	data, err := marshalWrapped("golearn: Transform", f.transformer)
	return stepPayload{Transform: &transformPayload{Encoder: *f.encoder, Output: f.output, Transformer: data}}, err
}

func (f *fittedFilter) payload() (stepPayload, error) {
	out := filterPayload{Columns: f.train.Columns, Rows: f.train.Rows, Class: f.train.Class, Labels: pack(f.train.Labels), Output: f.output, Digest: f.digest}
	for _, b := range f.train.Bits {
		out.Cells = append(out.Cells, pack(b))
	}
	return stepPayload{Filter: &out}, nil
}

func pack(bits []uint64) []byte {
	out := make([]byte, 0, cellSize*len(bits))
	for _, b := range bits {
		out = binary.LittleEndian.AppendUint64(out, b)
	}
	return out
}

// UnmarshalBinary reads what MarshalBinary of an equally configured Pipeline
// wrote, and calls the builders of its filters again. Errors: ErrBadModel for data
// that is cut short, changed, or of another configuration, and it says which;
// ErrParam for a nil Final; those of the builders. They leave the model as it was,
// but for a Final of golearn that fails to read itself after all else was right:
// the Pipeline is then not fitted.
func (p *Pipeline) UnmarshalBinary(data []byte) error {
	final, err := cloneFinal(p.Final)
	if err != nil {
		return err
	}
	var in pipelinePayload
	if _, err := codec.Unmarshal(data, pipelineKind, payloadVersion, &in); err != nil {
		return err
	}
	if in.NoOneHot != p.NoOneHot {
		return fault.BadModel(pipelineKind, "written with NoOneHot = %t, the receiver has %t", in.NoOneHot, p.NoOneHot)
	}
	if len(in.Steps) != len(p.Steps) {
		return fault.BadModel(pipelineKind, "written with %d steps, the receiver has %d", len(in.Steps), len(p.Steps))
	}
	if err := checkInput(&in); err != nil {
		return err
	}
	m := &pipelineModel{class: in.Class, input: in.Input, final: final}
	for i, s := range p.Steps {
		f, err := s.restore(in.Steps[i])
		if err != nil {
			return fmt.Errorf("%s: step %d: %w", pipelineName, i, err)
		}
		m.steps = append(m.steps, f)
	}
	if err := restoreFinal(final, in.Final); err != nil {
		if !errors.Is(err, errMismatch) && inPlace(final) {
			p.fitted = nil
		}
		return fmt.Errorf("%s: final: %w", pipelineName, err)
	}
	p.fitted = m
	return nil
}

func checkInput(in *pipelinePayload) error {
	if err := in.Class.validate(); err != nil {
		return fault.BadModel(pipelineKind, "%v", err)
	}
	if err := (&encoder{Columns: in.Input}).validate(); len(in.Steps) == 0 && err != nil {
		return fault.BadModel(pipelineKind, "%v", err)
	}
	return nil
}

// errMismatch marks what was found before a Final of golearn was touched.
var errMismatch = errors.New("another configuration")

func restoreFinal(final base.Classifier, in finalPayload) error {
	if o, ok := final.(ours); ok {
		if in.Type != "" {
			return fault.BadModel(pipelineKind, "written with a %s as Final, the receiver has a %T", in.Type, final)
		}
		return o.UnmarshalBinary(in.Ours)
	}
	if got := fmt.Sprintf("%T", final); in.Type != got {
		return errors.Join(errMismatch, fault.BadModel(pipelineKind, "written with a %q as Final, the receiver has a %s", in.Type, got))
	}
	if err := checkEntries(in.Archive); err != nil {
		return errors.Join(errMismatch, err)
	}
	if err := restore(final, in.Archive); err != nil {
		return fault.BadModel(pipelineKind, "%v", err)
	}
	return nil
}

// restore reads a fitted step into a copy of what s configures.
func (s Step) restore(in stepPayload) (fittedStep, error) {
	switch {
	case s.transform != nil && in.Transform != nil:
		return restoreTransform(s.transform, in.Transform)
	case s.build != nil && in.Filter != nil:
		return restoreFilter(s.build, in.Filter)
	}
	return nil, fault.BadModel(pipelineKind, "written as a %s, the receiver has a %s", stepName(in.Transform != nil, in.Filter != nil), stepName(s.transform != nil, s.build != nil))
}

func stepName(transform, filter bool) string {
	switch {
	case transform:
		return "Transform"
	case filter:
		return "Filter"
	}
	return "zero Step"
}

func restoreTransform(t transformers.Transformer, in *transformPayload) (fittedStep, error) {
	c, ok := t.(transformers.Cloner)
	if !ok {
		return nil, estimators.Unsupported("golearn: Transform", t, estimators.Cloning)
	}
	if err := in.Encoder.validate(); err != nil {
		return nil, fault.BadModel(pipelineKind, "%v", err)
	}
	if err := floatColumns(in.Output); err != nil {
		return nil, fault.BadModel(pipelineKind, "%v", err)
	}
	f := &fittedTransform{encoder: &in.Encoder, transformer: c.Clone(), output: in.Output}
	if err := unmarshalWrapped("golearn: Transform", pipelineKind, f.transformer, in.Transformer); err != nil {
		return nil, err
	}
	return f, nil
}

// floatColumns checks the columns that a transformer makes.
func floatColumns(cols []column) error {
	if err := (&encoder{Columns: cols}).validate(); err != nil {
		return err
	}
	for _, c := range cols {
		if c.Kind != floatKind {
			return fmt.Errorf("attribute %q, after a transformer, is %v", c.Name, c.Kind)
		}
	}
	return nil
}

func restoreFilter(build func(base.FixedDataGrid) (base.Filter, error), in *filterPayload) (fittedStep, error) {
	t, err := in.table()
	if err != nil {
		return nil, fault.BadModel(pipelineKind, "the training grid of a filter: %v", err)
	}
	for range RebuildAttempts {
		f, err := buildFilter(build, t)
		if err != nil {
			return nil, err
		}
		_, bits, err := f.run(t.Columns, t.Bits, t.Rows, true)
		if err != nil {
			return nil, err
		}
		f.digest = digest(bits)
		if slices.EqualFunc(f.output, in.Output, column.equal) && bytes.Equal(f.digest, in.Digest) {
			return f, nil
		}
	}
	return nil, fault.BadModel(pipelineKind, "the filter that is built now does not treat the training grid as the one that was saved did")
}

func (in *filterPayload) table() (table, error) {
	t := table{Columns: in.Columns, Rows: in.Rows, Class: in.Class, Bits: make([][]uint64, len(in.Cells))}
	if err := in.Class.validate(); err != nil {
		return table{}, err
	}
	if len(in.Columns) == 0 || len(in.Columns) != len(in.Cells) || in.Rows < 1 {
		return table{}, fmt.Errorf("%d attributes, %d columns of cells, %d rows", len(in.Columns), len(in.Cells), in.Rows)
	}
	if n, ok := duplicate(append(names(in.Columns), in.Class.Name)); ok {
		return table{}, fmt.Errorf("the attribute %q twice", n)
	}
	var err error
	for j, c := range in.Columns {
		if err := c.validate(); err != nil {
			return table{}, err
		}
		if t.Bits[j], err = unpack(c, in.Cells[j], in.Rows); err != nil {
			return table{}, err
		}
	}
	t.Labels, err = unpack(in.Class, in.Labels, in.Rows)
	return t, err
}

func unpack(c column, raw []byte, rows int) ([]uint64, error) {
	if len(raw)%cellSize != 0 || len(raw)/cellSize != rows {
		return nil, fmt.Errorf("attribute %q has %d bytes for %d rows", c.Name, len(raw), rows)
	}
	out := make([]uint64, rows)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(raw[i*cellSize:])
		if (c.Kind == categoricalKind && out[i] >= uint64(len(c.Values))) || (c.Kind == binaryKind && out[i] > 1) {
			return nil, fmt.Errorf("attribute %q, row %d: no such category: %d", c.Name, i, out[i])
		}
	}
	return out, nil
}

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (p *Pipeline) Save(path string) error { return save(pipelineName, path, p) }

// Load reads a model that Save of an equally configured Pipeline wrote. Errors as
// UnmarshalBinary's, and the file system's.
func (p *Pipeline) Load(path string) error { return load(pipelineName, path, p) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (p *Pipeline) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(pipelineName, w, prefix, p)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (p *Pipeline) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(pipelineName, pipelineKind, r, prefix, p)
}

// GetMetadata returns the name and version of the format.
func (p *Pipeline) GetMetadata() base.ClassifierMetadataV1 { return metadata(pipelineKind) }
