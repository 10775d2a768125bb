// Package filefuzz attacks readers of model files with files whose checksums are valid. It reads a valid file into a tree of
// values, including files and JSON nested in it, and changes the tree according to the bytes of a fuzzer's input. It makes numbers
// extreme, cuts, swaps and repeats arrays, renames keys, and replaces kinds and lengths. It writes the tree with the checksums of
// all envelopes repaired. [Subject.Check] then checks that
//
//   - reading does not panic, and allocates at most 64 times the file's length and a megabyte;
//   - an error wraps ErrBadModel, is at most 4 KB long, and leaves the value unchanged;
//   - no exported method of a value that was read panics, all methods together take less than ten seconds, and predictions are
//     finite or an error;
//   - the value can be written and read again, after which it predicts the same bits and writes the same bytes.
//
// Methods are found by reflection. A type only has to be a Subject in a test's list, which also determines its settings and
// training data.
package filefuzz

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Limits on the cost of a file.
const (
	budgetFactor   = 64
	budgetFloor    = 1 << 20
	mostOfMethods  = 256 << 20 // bytes that all methods together may allocate in addition to budgetFactor times the file
	longestError   = 4 << 10
	longestSeconds = 10 // time for decoding and all methods, to detect hangs even on a busy machine
)

// Subject describes a type whose values can be stored, with valid files of it.
type Subject struct {
	Name string
	// New returns an unfitted value with the settings of the files.
	New func() any
	// Files are valid files.
	Files [][]byte
	// Args holds arguments for the methods, which are selected by type. Contexts and numbers have defaults.
	Args []any
	// Errors are sentinels that reading may return in addition to ErrBadModel.
	Errors []error

	trees []*node
	plan  *plan
	kept  any // a value read from the first file, which failing reads must not change
	state string
}

// Prepare parses the valid files. It returns an error unless each can be read, both as it is and written again from its tree.
func (s *Subject) Prepare() error {
	for _, data := range s.Files {
		tree := raw(data)
		tree.parse()
		s.trees = append(s.trees, tree)
		for _, sound := range [][]byte{data, tree.content()} { // JSON in the file may be formatted differently
			if loaded, err := s.check(sound, 0); err != nil || !loaded {
				return fmt.Errorf("%s: a valid file: loaded %v, %w", s.Name, loaded, err)
			}
		}
	}
	s.keep()
	if len(s.trees) == 0 {
		return fmt.Errorf("%s has no files", s.Name)
	}
	return nil
}

// Mutate returns the file that a fuzzer's input describes. Input that begins like a file is returned unchanged.
func (s *Subject) Mutate(input []byte) []byte {
	if bytes.HasPrefix(input, []byte(magic)) {
		return input
	}
	from := &source{input}
	tree := s.trees[from.uniform(len(s.trees))]
	if from.byte() == 255 { // the bytes unchanged, without repaired checksums
		return bytes.Clone(from.data)
	}
	return mutated(tree, from).content()
}

// Check reads the file made from an input and calls all methods of the value. It returns an error if a rule of the package is
// violated. It also reports whether the file was accepted.
func (s *Subject) Check(input []byte) (loaded bool, err error) {
	costly := uint32(0)
	for _, b := range input {
		costly = costly*31 + uint32(b)
	}
	return s.check(s.Mutate(input), costly)
}

func (s *Subject) check(data []byte, choice uint32) (loaded bool, err error) {
	doing := "reading"
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %s panics: %v\n%s", s.Name, doing, r, stackOf(debug.Stack()))
		}
	}()
	began := time.Now()
	v, before := s.kept, s.state
	looks := v != nil && choice%4 == 0 // check whether an error leaves the old value unchanged, which is the most expensive check
	if !looks {
		v = s.New()
		if looks = choice%8 == 1; looks {
			before = state(v)
		}
	}
	given := bytes.Clone(data)
	limit := int64(budgetFactor*len(data) + budgetFloor)
	if spent := allocated(func() { err = load(v, given) }); spent > limit/2 {
		// The quick count has the granularity of spans, so read again with an exact count.
		if spent = allocatedExactly(func() { _ = load(s.New(), given) }); spent > limit {
			return false, fmt.Errorf("%s: reading %d bytes allocates %d, at most %d", s.Name, len(data), spent, limit)
		}
	}
	if !bytes.Equal(given, data) {
		return false, fmt.Errorf("%s: reading changes the bytes that it reads", s.Name)
	}
	if err != nil {
		refusal := err
		if err := s.sound(refusal); err != nil {
			return false, err
		}
		if looks && state(v) != before {
			s.keep()
			return false, fmt.Errorf("%s: a read error, %v, changed the value", s.Name, refusal)
		}
		return false, nil
	}
	if v == s.kept {
		s.keep()
	}

	clear(given) // the value must not share the input's memory
	if s.plan == nil {
		s.plan = planOf(v, s.Args)
	}
	var first, second outputs
	doing = "MarshalBinary"
	stored, err := save(v)
	if err != nil {
		return true, fmt.Errorf("%s: what was read cannot be written: %w", s.Name, err)
	}
	doing = "reading again"
	again := s.New()
	if err := load(again, stored); err != nil {
		return true, fmt.Errorf("%s: what was read and written cannot be read again: %w", s.Name, err)
	}
	spent := allocated(func() { first, err = s.plan.ask(v, &doing) })
	if err != nil {
		return true, fmt.Errorf("%s: %w", s.Name, err)
	}
	if most := int64(budgetFactor*len(data) + mostOfMethods); spent > most {
		return true, fmt.Errorf("%s: methods of a value from %d bytes allocate %d, at most %d", s.Name, len(data), spent, most)
	}
	if second, err = s.plan.ask(again, &doing); err != nil {
		return true, fmt.Errorf("%s, read again: %w", s.Name, err)
	}
	if method, ok := first.same(second); !ok {
		return true, fmt.Errorf("%s: %s differs after it was written and read", s.Name, method)
	}
	doing = "MarshalBinary again"
	twice, err := save(again)
	if err != nil || !bytes.Equal(stored, twice) {
		return true, fmt.Errorf("%s: the bytes differ after writing, reading and writing again: %w", s.Name, errors.Join(err))
	}
	if after, err := save(v); err != nil || !bytes.Equal(stored, after) {
		return true, fmt.Errorf("%s: methods that predict change the written bytes: %w", s.Name, errors.Join(err))
	}
	s.plan.alter(v, again, choice%64 == 0, &doing)
	if took := time.Since(began).Seconds(); took > longestSeconds {
		return true, fmt.Errorf("%s: reading %d bytes and all methods took %.1f s", s.Name, len(data), took)
	}
	return true, nil
}

// keep reads the first file into the value that failing reads must not change.
func (s *Subject) keep() {
	v := s.New()
	if load(v, s.Files[0]) == nil {
		s.kept, s.state = v, state(v)
	}
}

// sound returns an error if err, which a read returned, breaks the rules of this package, and nil otherwise.
func (s *Subject) sound(err error) error {
	if n := len(err.Error()); n > longestError {
		return fmt.Errorf("%s: an error of %d bytes: %.200s", s.Name, n, err.Error())
	}
	if errors.Is(err, fault.ErrBadModel) {
		return nil
	}
	for _, may := range s.Errors {
		if errors.Is(err, may) {
			return nil
		}
	}
	if _, ok := s.New().(json.Unmarshaler); ok { // a type that is stored as JSON returns the errors of JSON
		return nil
	}
	return fmt.Errorf("%s: a read error that is not ErrBadModel: %w", s.Name, err)
}

func load(v any, data []byte) error {
	if j, ok := v.(json.Unmarshaler); ok {
		return j.UnmarshalJSON(data)
	}
	return v.(encoding.BinaryUnmarshaler).UnmarshalBinary(data)
}

func save(v any) ([]byte, error) {
	if j, ok := v.(json.Marshaler); ok {
		return j.MarshalJSON()
	}
	return v.(encoding.BinaryMarshaler).MarshalBinary()
}

// state returns the bytes that a value would write, or the reason why it cannot.
func state(v any) string {
	data, err := save(v)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(data)
}

// allocated returns approximately the bytes that f allocates. The count is cheap and misses the last few hundred kilobytes of small
// objects.
func allocated(f func()) int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - before)
}

func allocatedExactly(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// stackOf returns the stack from the panic on.
func stackOf(stack []byte) []byte {
	if i := bytes.Index(stack, []byte("panic(")); i >= 0 {
		stack = stack[i:]
	}
	return stack[:min(len(stack), 3000)]
}

// Golden returns the files in testdata folders that have the same kind as like, so that files written by older versions are also
// mutated.
func Golden(tb testing.TB, root string, like []byte) (out [][]byte) {
	tb.Helper()
	f := openFile(like)
	if f == nil {
		tb.Fatal("no file")
	}
	for _, dir := range []string{"*", filepath.Join("*", "*")} {
		paths, err := filepath.Glob(filepath.Join(root, dir, "testdata", "*.keln"))
		if err != nil {
			tb.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				tb.Fatal(err)
			}
			if g := openFile(data); g != nil && g.kind == f.kind {
				out = append(out, data)
			}
		}
	}
	return out
}

// Accepting returns the files that a value returned by build can read.
func Accepting(build func() any, files [][]byte) (out [][]byte) {
	for _, data := range files {
		if load(build(), data) == nil {
			out = append(out, data)
		}
	}
	return out
}

// Input returns random input. Most of it describes small changes.
func Input(rng *rand.Rand) []byte {
	out := make([]byte, 8+rng.IntN(40))
	for i := range out {
		out[i] = byte(rng.Uint32())
	}
	if string(out[:4]) == magic {
		out[0] = 0
	}
	return out
}

// Corpus returns the seed file of Go's fuzzer for a subject, which turns a finding into a regression test.
func Corpus(name string, data []byte) string {
	return fmt.Sprintf("go test fuzz v1\nstring(%q)\n[]byte(%q)\n", name, data)
}

// CheckRandom checks a random subject on random input. The error of a finding contains the file as a seed for the target of [Fuzz].
func CheckRandom(subjects []*Subject, rng *rand.Rand) error {
	s := subjects[rng.IntN(len(subjects))]
	input := Input(rng)
	if _, err := s.Check(input); err != nil {
		return fmt.Errorf("%w\n%s", err, Corpus(s.Name, s.Mutate(input)))
	}
	return nil
}

// Fuzz is a fuzz target for prepared subjects. Its seeds are each subject's files, unchanged and with a few changes.
func Fuzz(f *testing.F, subjects []*Subject) {
	byName := map[string]*Subject{}
	for _, s := range subjects {
		if byName[s.Name] != nil {
			f.Fatalf("two subjects are %s", s.Name)
		}
		byName[s.Name] = s
		f.Add(s.Name, s.Files[0])
		f.Add(s.Name, []byte{0, 0, 1, 3, 100, 7})
	}
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		s := byName[name]
		if s == nil { // selected by a checksum, so that names mutated by the fuzzer select a subject
			sum := 0
			for _, b := range []byte(name) {
				sum += int(b)
			}
			s = subjects[sum%len(subjects)]
		}
		if _, err := s.Check(input); err != nil {
			t.Error(err)
		}
	})
}

// finite returns an error with the position of a value that is not finite.
func finite(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %v", i, v)
		}
	}
	return nil
}

// oneOf reports whether a name has one of these prefixes.
func oneOf(name string, beginnings ...string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(name, b) {
			return true
		}
	}
	return false
}
