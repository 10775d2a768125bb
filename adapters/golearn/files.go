package golearn

import (
	"errors"
	"fmt"
	"os"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/archive"
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// The functions of this file load the types of this package from files and from golearn's archives. They also decode models that
// are parts of others.

const (
	payloadVersion  = 1
	archiveKey      = "KERNELEARN" // one key per model, since golearn syncs the file after each key
	metadataVersion = "1.0"
)

func load(o gridEstimator, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return named(o, err)
	}
	return o.UnmarshalBinary(data)
}

func loadWithPrefix(o gridEstimator, r *base.ClassifierDeserializer, prefix string) error {
	if r == nil {
		return fault.Param(o.name(), "deserializer", nil, "a deserializer")
	}
	data, err := r.GetBytesForKey(r.Prefix(prefix, archiveKey))
	if err != nil {
		return fault.BadModel(o.kind(), "%v", err)
	}
	return o.UnmarshalBinary(data)
}

// wrappedPayload is the file form of a model that wraps an estimator.
type wrappedPayload struct {
	Trained   trained
	Present   []int `cbor:",omitempty"` // of a Classifier
	Scores    bool  `cbor:",omitempty"` // of a Classifier
	Estimator estimators.NestedModel
}

// readWrapped decodes a model that wraps an estimator. The estimator is decoded into a clone of the configured estimator.
func readWrapped[E any](o gridEstimator, data []byte, configured E, noOneHot bool, missing Missing) (p wrappedPayload, est E, err error) {
	est = estimators.Clone(configured)
	if !estimators.Supports(est, estimators.Marshalling) {
		err = estimators.Unsupported(o.name(), est, estimators.Marshalling)
	}
	if err == nil {
		err = readPayload(o, data, &p)
	}
	if err == nil {
		err = p.Trained.fits(o.kind(), noOneHot, missing)
	}
	if err == nil {
		estimators.SetCategories(est, gridtable.Codes(p.Trained.Schema.Columns))
		err = readPart(o.kind(), "the estimator", p.Estimator, est)
	}
	return p, est, err
}

// readPart decodes an estimator or a transformer. It returns the errors of third-party types as ErrBadModel.
func readPart(kind, which string, p estimators.NestedModel, into any) error {
	err := p.UnmarshalInto(kind, which, into)
	if err == nil || errors.Is(err, fault.ErrBadModel) || errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return fault.BadModel(kind, "%v", err)
}

func readPayload(o gridEstimator, data []byte, payload any) error {
	_, err := codec.Unmarshal(data, o.kind(), payloadVersion, payload)
	return err
}

// modelPart holds the bytes of a model of this package, or the type and the archive of a golearn classifier.
type modelPart struct {
	Ours    []byte
	Type    string
	Archive []archive.Entry
}

func makeModelPart(c base.Classifier) (out modelPart, err error) {
	if o, ok := embedding.As[gridEstimator](c); ok {
		out.Ours, err = o.MarshalBinary()
		return out, err
	}
	out.Type = fmt.Sprintf("%T", c)
	out.Archive, err = archive.Save(c)
	return out, err
}

// fits returns an error if the part was not written from a classifier like c, or if its archive is damaged. It is called before c
// is changed.
func (p modelPart) fits(kind string, c base.Classifier) error {
	_, isOurs := embedding.As[gridEstimator](c)
	got := fmt.Sprintf("%T", c)
	switch {
	case isOurs && p.Type != "":
		return fault.BadModel(kind, "written with a %s, the receiver has a %s", p.Type, got)
	case !isOurs && p.Type != got:
		return fault.BadModel(kind, "written with a %q, the receiver has a %s", p.Type, got)
	case !isOurs:
		return archive.Check(kind, p.Archive)
	}
	return nil
}

// unmarshalInto decodes the part into c, for which fits returned nil.
func (p modelPart) unmarshalInto(kind string, c base.Classifier) error {
	if o, ok := embedding.As[gridEstimator](c); ok {
		return o.UnmarshalBinary(p.Ours)
	}
	if err := archive.Load(c, p.Archive); err != nil {
		return spoiled{fault.BadModel(kind, "%v", err)}
	}
	return nil
}

// spoiled marks the error of a golearn classifier that failed while it decoded itself. The state of the classifier is unknown.
type spoiled struct{ error }

func (s spoiled) Unwrap() error { return s.error }

// Load reads a file written by Save of a Classifier with the same configuration. It returns the errors of UnmarshalBinary and of
// the file system.
func (c *Classifier) Load(path string) error { return load(c, path) }

// LoadWithPrefix reads the output of SaveWithPrefix. It returns the errors of UnmarshalBinary.
func (c *Classifier) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(c, r, prefix)
}

// Load reads a file written by Save of a Regressor with the same configuration. It returns the errors of UnmarshalBinary and of the
// file system.
func (r *Regressor) Load(path string) error { return load(r, path) }

// LoadWithPrefix reads the output of SaveWithPrefix. It returns the errors of UnmarshalBinary.
func (r *Regressor) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(r, d, prefix)
}

// Load reads a file written by Save of a Pipeline with the same configuration. It returns the errors of UnmarshalBinary and of the
// file system.
func (p *Pipeline) Load(path string) error { return load(p, path) }

// LoadWithPrefix reads the output of SaveWithPrefix. It returns the errors of UnmarshalBinary.
func (p *Pipeline) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(p, r, prefix)
}

// Load reads a file written by Save of a Bagging with the same configuration. It returns the errors of UnmarshalBinary and of the
// file system.
func (b *Bagging) Load(path string) error { return load(b, path) }

// LoadWithPrefix reads the output of SaveWithPrefix. It returns the errors of UnmarshalBinary.
func (b *Bagging) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(b, r, prefix)
}

// Load reads a file written by Save of a Refitted with the same configuration. It returns the errors of UnmarshalBinary and of the
// file system.
func (r *Refitted) Load(path string) error { return load(r, path) }

// LoadWithPrefix reads the output of SaveWithPrefix. It returns the errors of UnmarshalBinary.
func (r *Refitted) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(r, d, prefix)
}
