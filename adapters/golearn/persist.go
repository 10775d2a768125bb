package golearn

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// The kinds and the version of what is written.
const (
	classifierKind  = "golearn.Classifier"
	regressorKind   = "golearn.Regressor"
	pipelineKind    = "golearn.Pipeline"
	payloadVersion  = 1
	archiveKey      = "KERNELEARN" // one key a model: golearn syncs the file at each
	metadataVersion = "1.0"
)

// persistent is what Save, Load and golearn's archives are written over.
type persistent interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

func save(name, path string, m persistent) error {
	data, err := m.MarshalBinary()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func load(name, path string, m persistent) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return m.UnmarshalBinary(data)
}

func saveWithPrefix(name string, w *base.ClassifierSerializer, prefix string, m persistent) error {
	if w == nil {
		return fault.Param(name, "serializer", nil, "a serializer")
	}
	data, err := m.MarshalBinary()
	if err != nil {
		return err
	}
	if err := w.WriteBytesForKey(w.Prefix(prefix, archiveKey), data); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func loadWithPrefix(name, modelKind string, r *base.ClassifierDeserializer, prefix string, m persistent) error {
	if r == nil {
		return fault.Param(name, "deserializer", nil, "a deserializer")
	}
	data, err := r.GetBytesForKey(r.Prefix(prefix, archiveKey))
	if err != nil {
		return fault.BadModel(modelKind, "%v", err)
	}
	return m.UnmarshalBinary(data)
}

func metadata(name string) base.ClassifierMetadataV1 {
	return base.ClassifierMetadataV1{FormatVersion: 1, ClassifierName: name, ClassifierVersion: metadataVersion}
}

// marshalWrapped returns the bytes of a fitted estimator or transformer.
func marshalWrapped(name string, e any) ([]byte, error) {
	m, ok := e.(encoding.BinaryMarshaler)
	if !ok || !is[encoding.BinaryUnmarshaler](e) {
		return nil, estimators.Unsupported(name, e, estimators.Marshalling)
	}
	data, err := m.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

func unmarshalWrapped(name, modelKind string, e any, data []byte) error {
	u, ok := e.(encoding.BinaryUnmarshaler)
	if !ok {
		return estimators.Unsupported(name, e, estimators.Marshalling)
	}
	if err := u.UnmarshalBinary(data); err != nil {
		if errors.Is(err, fault.ErrBadModel) {
			return fmt.Errorf("%s: %T: %w", name, e, err)
		}
		return fault.BadModel(modelKind, "%T: %v", e, err)
	}
	return nil
}

func is[T any](e any) bool {
	_, ok := e.(T)
	return ok
}

type classifierPayload struct {
	Encoder   encoder
	Classes   classes
	NoOneHot  bool
	Estimator []byte
	// Hard says that a float class was predicted without scores. The first files do
	// not hold it: they gave scores.
	Hard bool `cbor:",omitempty"`
}

// MarshalBinary returns the fitted model. Errors: ErrNotFitted, and one that
// wraps errors.ErrUnsupported if the estimator cannot be marshalled.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	m := c.fitted
	if m == nil {
		return nil, fault.NotFitted(classifierName)
	}
	est, err := marshalWrapped(classifierName, m.estimator)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, payloadVersion, classifierPayload{Encoder: *m.encoder, Classes: *m.classes, NoOneHot: c.NoOneHot, Estimator: est, Hard: m.classes.Column.Kind == floatKind && !m.scores})
}

// UnmarshalBinary reads what MarshalBinary of an equally configured Classifier
// wrote. Every error leaves the model as it was: ErrBadModel for data that is cut
// short, changed, or of another configuration; ErrParam for a nil Estimator; one
// that wraps errors.ErrUnsupported if it cannot be cloned or unmarshalled.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	est, err := estimators.Clone(classifierName, c.Estimator)
	if err != nil {
		return err
	}
	var p classifierPayload
	if _, err := codec.Unmarshal(data, classifierKind, payloadVersion, &p); err != nil {
		return err
	}
	if err := checkEncoder(classifierKind, &p.Encoder, p.NoOneHot, c.NoOneHot, c.AllowMissing, c.Impute); err != nil {
		return err
	}
	if err := p.Classes.validate(); err != nil {
		return fault.BadModel(classifierKind, "%v", err)
	}
	if err := unmarshalWrapped(classifierName, classifierKind, est, p.Estimator); err != nil {
		return err
	}
	want := make([]int, len(p.Classes.Present))
	for i := range want {
		want[i] = i
	}
	if got := est.Classes(); !slices.Equal(got, want) {
		return fault.BadModel(classifierKind, "the estimator has %d classes, the class attribute %d", len(got), len(want))
	}
	c.fitted = &classifierModel{encoder: &p.Encoder, classes: &p.Classes, estimator: est, scores: c.Scores || !p.Hard}
	return nil
}

// checkEncoder compares the configuration in a file with the receiver's.
func checkEncoder(modelKind string, e *encoder, gotNoOneHot, noOneHot, allowMissing, impute bool) error {
	if err := e.validate(); err != nil {
		return fault.BadModel(modelKind, "%v", err)
	}
	if gotNoOneHot != noOneHot {
		return fault.BadModel(modelKind, "written with NoOneHot = %t, the receiver has %t", gotNoOneHot, noOneHot)
	}
	if e.AllowMissing != allowMissing {
		return fault.BadModel(modelKind, "written with AllowMissing = %t, the receiver has %t", e.AllowMissing, allowMissing)
	}
	if (e.Fills != nil) != impute {
		return fault.BadModel(modelKind, "written with Impute = %t, the receiver has %t", e.Fills != nil, impute)
	}
	return nil
}

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (c *Classifier) Save(path string) error { return save(classifierName, path, c) }

// Load reads a model that Save of an equally configured Classifier wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (c *Classifier) Load(path string) error { return load(classifierName, path, c) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (c *Classifier) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(classifierName, w, prefix, c)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (c *Classifier) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(classifierName, classifierKind, r, prefix, c)
}

// GetMetadata returns the name and version of the format.
func (c *Classifier) GetMetadata() base.ClassifierMetadataV1 { return metadata(classifierKind) }

type regressorPayload struct {
	Encoder   encoder
	Target    column
	NoOneHot  bool
	Estimator []byte
}

// MarshalBinary returns the fitted model. Errors: ErrNotFitted, and one that
// wraps errors.ErrUnsupported if the estimator cannot be marshalled.
func (r *Regressor) MarshalBinary() ([]byte, error) {
	m := r.fitted
	if m == nil {
		return nil, fault.NotFitted(regressorName)
	}
	est, err := marshalWrapped(regressorName, m.estimator)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(regressorKind, payloadVersion, regressorPayload{Encoder: *m.encoder, Target: m.target, NoOneHot: r.NoOneHot, Estimator: est})
}

// UnmarshalBinary reads what MarshalBinary of an equally configured Regressor
// wrote. Every error leaves the model as it was: ErrBadModel for data that is cut
// short, changed, or of another configuration; ErrParam for a nil Estimator; one
// that wraps errors.ErrUnsupported if it cannot be cloned or unmarshalled.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	est, err := estimators.Clone(regressorName, r.Estimator)
	if err != nil {
		return err
	}
	var p regressorPayload
	if _, err := codec.Unmarshal(data, regressorKind, payloadVersion, &p); err != nil {
		return err
	}
	if err := checkEncoder(regressorKind, &p.Encoder, p.NoOneHot, r.NoOneHot, r.AllowMissing, r.Impute); err != nil {
		return err
	}
	if err := p.Target.validate(); err != nil || p.Target.Kind != floatKind {
		return fault.BadModel(regressorKind, "the target %q is %v", p.Target.Name, p.Target.Kind)
	}
	if err := unmarshalWrapped(regressorName, regressorKind, est, p.Estimator); err != nil {
		return err
	}
	r.fitted = &regressorModel{encoder: &p.Encoder, target: p.Target, estimator: est}
	return nil
}

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (r *Regressor) Save(path string) error { return save(regressorName, path, r) }

// Load reads a model that Save of an equally configured Regressor wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (r *Regressor) Load(path string) error { return load(regressorName, path, r) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (r *Regressor) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(regressorName, w, prefix, r)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (r *Regressor) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(regressorName, regressorKind, d, prefix, r)
}

// GetMetadata returns the name and version of the format.
func (r *Regressor) GetMetadata() base.ClassifierMetadataV1 { return metadata(regressorKind) }
