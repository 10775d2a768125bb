package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Entry is one entry of the archive that a golearn classifier writes. Entries are kept uncompressed, so that reading them cannot
// use more memory than the model data.
type Entry struct {
	Key  string
	Data []byte
}

// finalPrefix is the prefix of the classifier's keys in that archive. It is empty, because golearn's KNN finds its own output only
// there.
const finalPrefix = ""

// Save returns the entries of the archive of a fitted golearn classifier. A classifier can only write its archive to a file.
func Save(c base.Classifier) ([]Entry, error) {
	var entries []Entry
	err := inTempFile(func(path string) error {
		if err := writeArchive(c, path); err != nil {
			return fmt.Errorf("%T does not save itself (%v): %w", c, err, errors.ErrUnsupported)
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		// Reading to the end also shows that the archive is complete.
		if entries, err = readArchive(f); err != nil {
			return fmt.Errorf("%T wrote an archive that cannot be read (%v): %w", c, err, errors.ErrUnsupported)
		}
		return nil
	})
	return entries, err
}

func inTempFile(use func(path string) error) error {
	dir, err := os.MkdirTemp("", "kernelearn")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return use(filepath.Join(dir, "final"))
}

func writeArchive(c base.Classifier, path string) (err error) {
	defer gridtable.Guard(fmt.Sprintf("%T", c), &err)
	w, err := base.CreateSerializedClassifierStub(path, c.GetMetadata())
	if err != nil {
		return err
	}
	saveErr := c.SaveWithPrefix(w, finalPrefix)
	// Some classifiers of golearn have already closed the archive, and closing it again fails.
	_ = w.Close()
	return saveErr
}

func readArchive(r io.Reader) ([]Entry, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{Key: h.Name, Data: data})
	}
	_, err = io.Copy(io.Discard, z)
	return out, err
}

// Load decodes entries into a golearn classifier with the classifier's own method.
func Load(c base.Classifier, entries []Entry) error {
	var buf bytes.Buffer
	if err := packArchive(&buf, entries); err != nil {
		return err
	}
	return inTempFile(func(path string) error {
		if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
			return err
		}
		return loadArchive(c, path)
	})
}

func packArchive(w io.Writer, entries []Entry) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, e := range entries {
		if err := t.WriteHeader(&tar.Header{Name: e.Key, Size: int64(len(e.Data))}); err != nil {
			return err
		}
		if _, err := t.Write(e.Data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func loadArchive(c base.Classifier, path string) (err error) {
	defer gridtable.Guard(fmt.Sprintf("%T", c), &err)
	r, err := base.ReadSerializedClassifierStub(path)
	if err != nil {
		return err
	}
	defer r.Close()
	return c.LoadWithPrefix(r, finalPrefix)
}

// Check returns an error if the archive contains invalid counts, since golearn allocates memory for them without comparing them
// with the data. The counts are the size of a stored grid and the length of a list of attributes.
func Check(kind string, entries []Entry) error {
	byKey := make(map[string][]byte, len(entries))
	for _, e := range entries {
		if _, twice := byKey[e.Key]; twice {
			return fault.BadModel(kind, "the key %q twice", e.Key)
		}
		byKey[e.Key] = e.Data
	}
	for _, e := range entries {
		if prefix, ok := strings.CutSuffix(e.Key, "DIMS"); ok {
			if err := checkDims(e.Data, len(byKey[prefix+"ATTRS"])+len(byKey[prefix+"CATTRS"]), len(byKey[prefix+"DATA"])); err != nil {
				return fault.BadModel(kind, "%q: %v", e.Key, err)
			}
		}
		if strings.HasSuffix(e.Key, "ATTR_COUNT") {
			if len(e.Data) != gridtable.CellSize || binary.LittleEndian.Uint64(e.Data) > uint64(len(entries)) {
				return fault.BadModel(kind, "%q counts more attributes than there are", e.Key)
			}
		}
	}
	return nil
}

// checkDims compares the numbers of attributes and rows of a stored grid with the sizes of its attribute list and its cells.
func checkDims(dims []byte, attrBytes, dataBytes int) error {
	if len(dims) != 2*gridtable.CellSize {
		return fmt.Errorf("%d bytes, want %d", len(dims), 2*gridtable.CellSize)
	}
	attrs, rows := binary.LittleEndian.Uint64(dims), binary.LittleEndian.Uint64(dims[gridtable.CellSize:])
	// An attribute has more than one byte in the list, and a cell at least one.
	if attrs > uint64(attrBytes) || rows > uint64(dataBytes) || attrs*rows > uint64(dataBytes) {
		return fmt.Errorf("%d attributes in %d bytes and %d rows in %d bytes", attrs, attrBytes, rows, dataBytes)
	}
	return nil
}
