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

// How each of the types comes out of a file and of golearn's archives, over its
// UnmarshalBinary, and models within others.

const (
	payloadVersion  = 1
	archiveKey      = "KERNELEARN" // one key a model: golearn syncs the file at each
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

// wrappedPayload is a model around an estimator.
type wrappedPayload struct {
	Trained   trained
	Present   []int `cbor:",omitempty"` // of a Classifier
	Scores    bool  `cbor:",omitempty"` // of a Classifier
	Estimator estimators.NestedModel
}

// readWrapped reads a model around an estimator, the estimator into a clone of the
// configured one.
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

// readPart reads an estimator or a transformer. What a type of the user's says of its data is
// a bad model like any other.
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

// modelPart holds the bytes of a model of this package, or the type and the archive of
// one of golearn's.
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

// fits checks all that can be checked before a classifier of golearn is touched.
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

// unmarshalInto reads the part into a model that it fits.
func (p modelPart) unmarshalInto(kind string, c base.Classifier) error {
	if o, ok := embedding.As[gridEstimator](c); ok {
		return o.UnmarshalBinary(p.Ours)
	}
	if err := archive.Load(c, p.Archive); err != nil {
		return spoiled{fault.BadModel(kind, "%v", err)}
	}
	return nil
}

// spoiled marks the error of a classifier of golearn that failed while it read itself, and
// whose state is unknown since.
type spoiled struct{ error }

func (s spoiled) Unwrap() error { return s.error }

// Load reads what Save of an equally configured Classifier wrote. Errors as UnmarshalBinary's,
// and the file system's.
func (c *Classifier) Load(path string) error { return load(c, path) }

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (c *Classifier) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(c, r, prefix)
}

// Load reads what Save of an equally configured Regressor wrote. Errors as UnmarshalBinary's,
// and the file system's.
func (r *Regressor) Load(path string) error { return load(r, path) }

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (r *Regressor) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(r, d, prefix)
}

// Load reads what Save of an equally configured Pipeline wrote. Errors as UnmarshalBinary's,
// and the file system's.
func (p *Pipeline) Load(path string) error { return load(p, path) }

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (p *Pipeline) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(p, r, prefix)
}

// Load reads what Save of an equally configured Bagging wrote. Errors as UnmarshalBinary's,
// and the file system's.
func (b *Bagging) Load(path string) error { return load(b, path) }

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (b *Bagging) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(b, r, prefix)
}

// Load reads what Save of an equally configured Refitted wrote. Errors as UnmarshalBinary's,
// and the file system's.
func (r *Refitted) Load(path string) error { return load(r, path) }

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (r *Refitted) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(r, d, prefix)
}
