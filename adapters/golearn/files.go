package golearn

import (
	"fmt"
	"io"
	"os"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// How each of the types goes to a file and to golearn's archives, over its MarshalBinary
// and UnmarshalBinary.

const (
	payloadVersion  = 1
	archiveKey      = "KERNELEARN" // one key a model: golearn syncs the file at each
	metadataVersion = "1.0"
)

func save(o ours, path string) error {
	data, err := o.MarshalBinary()
	if err != nil {
		return err
	}
	return named(o, atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}

func load(o ours, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return named(o, err)
	}
	return o.UnmarshalBinary(data)
}

func saveWithPrefix(o ours, w *base.ClassifierSerializer, prefix string) error {
	if w == nil {
		return fault.Param(name(o), "serializer", nil, "a serializer")
	}
	data, err := o.MarshalBinary()
	if err != nil {
		return err
	}
	return named(o, w.WriteBytesForKey(w.Prefix(prefix, archiveKey), data))
}

func loadWithPrefix(o ours, r *base.ClassifierDeserializer, prefix string) error {
	if r == nil {
		return fault.Param(name(o), "deserializer", nil, "a deserializer")
	}
	data, err := r.GetBytesForKey(r.Prefix(prefix, archiveKey))
	if err != nil {
		return fault.BadModel(o.kind(), "%v", err)
	}
	return o.UnmarshalBinary(data)
}

func metadata(o ours) base.ClassifierMetadataV1 {
	return base.ClassifierMetadataV1{FormatVersion: payloadVersion, ClassifierName: o.kind(), ClassifierVersion: metadataVersion}
}

// readWrapped reads the payload of a model around an estimator, and returns a clone of the
// configured one to read its part into.
func readWrapped[E any](o ours, data []byte, payload any, configured E) (E, error) {
	est, err := estimators.Clone(name(o), configured)
	if err == nil && !estimators.Supports(est, estimators.Marshalling) {
		err = estimators.Unsupported(name(o), est, estimators.Marshalling)
	}
	if err == nil {
		err = readPayload(o, data, payload)
	}
	return est, err
}

func readPayload(o ours, data []byte, payload any) error {
	_, err := codec.Unmarshal(data, o.kind(), payloadVersion, payload)
	return err
}

// modelPart holds the bytes of a model of this package, or the type and the archive of
// one of golearn's.
type modelPart struct {
	Ours    []byte
	Type    string
	Archive []archiveEntry
}

func makeModelPart(c base.Classifier) (out modelPart, err error) {
	if o, ok := own(c); ok {
		out.Ours, err = o.MarshalBinary()
		return out, err
	}
	out.Type = fmt.Sprintf("%T", c)
	out.Archive, err = archive(c)
	return out, err
}

// fits checks all that can be checked before a classifier of golearn is touched.
func (p modelPart) fits(kind string, c base.Classifier) error {
	_, isOurs := own(c)
	got := fmt.Sprintf("%T", c)
	switch {
	case isOurs && p.Type != "":
		return fault.BadModel(kind, "written with a %s, the receiver has a %s", p.Type, got)
	case !isOurs && p.Type != got:
		return fault.BadModel(kind, "written with a %q, the receiver has a %s", p.Type, got)
	case !isOurs:
		return checkEntries(kind, p.Archive)
	}
	return nil
}

// into reads the part into a model that it fits.
func (p modelPart) into(kind string, c base.Classifier) error {
	if o, ok := own(c); ok {
		return o.UnmarshalBinary(p.Ours)
	}
	if err := restore(c, p.Archive); err != nil {
		return spoiled{fault.BadModel(kind, "%v", err)}
	}
	return nil
}

// spoiled marks the error of a classifier of golearn that failed while it read itself, and
// whose state is unknown since.
type spoiled struct{ error }

func (s spoiled) Unwrap() error { return s.error }

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (c *Classifier) Save(path string) error { return save(c, path) }

// Load reads a model that Save of an equally configured Classifier wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (c *Classifier) Load(path string) error { return load(c, path) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (c *Classifier) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(c, w, prefix)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (c *Classifier) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(c, r, prefix)
}

// GetMetadata returns the name and version of the format.
func (c *Classifier) GetMetadata() base.ClassifierMetadataV1 { return metadata(c) }

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (r *Regressor) Save(path string) error { return save(r, path) }

// Load reads a model that Save of an equally configured Regressor wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (r *Regressor) Load(path string) error { return load(r, path) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (r *Regressor) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(r, w, prefix)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (r *Regressor) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(r, d, prefix)
}

// GetMetadata returns the name and version of the format.
func (r *Regressor) GetMetadata() base.ClassifierMetadataV1 { return metadata(r) }

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (p *Pipeline) Save(path string) error { return save(p, path) }

// Load reads a model that Save of an equally configured Pipeline wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (p *Pipeline) Load(path string) error { return load(p, path) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (p *Pipeline) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(p, w, prefix)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (p *Pipeline) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(p, r, prefix)
}

// GetMetadata returns the name and version of the format.
func (p *Pipeline) GetMetadata() base.ClassifierMetadataV1 { return metadata(p) }

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (b *Bagging) Save(path string) error { return save(b, path) }

// Load reads a model that Save of an equally configured Bagging wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (b *Bagging) Load(path string) error { return load(b, path) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (b *Bagging) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(b, w, prefix)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (b *Bagging) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(b, r, prefix)
}

// GetMetadata returns the name and version of the format.
func (b *Bagging) GetMetadata() base.ClassifierMetadataV1 { return metadata(b) }

// Save writes the fitted model to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (r *Refitted) Save(path string) error { return save(r, path) }

// Load reads a model that Save of an equally configured Refitted wrote. Errors
// as UnmarshalBinary's, and the file system's.
func (r *Refitted) Load(path string) error { return load(r, path) }

// SaveWithPrefix writes the fitted model into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (r *Refitted) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(r, w, prefix)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (r *Refitted) LoadWithPrefix(d *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(r, d, prefix)
}

// GetMetadata returns the name and version of the format.
func (r *Refitted) GetMetadata() base.ClassifierMetadataV1 { return metadata(r) }
