package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/dataset"
)

const commit = "owner/name/0123456789012345678901234567890123456789"

// sourceOf returns a source with the given content.
func sourceOf(path, content string) source {
	return source{commit, path, int64(len(content)), checksum([]byte(content))}
}

// setOf returns a set whose steps should produce the given CSV.
func setOf(name, csv string, read reader, steps []step, sources ...source) set {
	return set{name: name, size: int64(len(csv)), sha256: checksum([]byte(csv)), sources: sources, read: read, steps: steps}
}

// fetcherOf returns a fetcher that uses a test server.
func fetcherOf(t *testing.T, handler http.HandlerFunc) *fetcher {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &fetcher{client: server.Client(), mirror: server.URL, limit: 10 * time.Second, got: map[string][]byte{}}
}

// frame returns an R file in the form that save writes. It contains a data frame of numbers, whose name is d.
func frame(t *testing.T, names []string, columns ...[]float64) string {
	var plain bytes.Buffer
	plain.WriteString("RDX2\nX\n")
	put := func(values ...any) {
		for _, v := range values {
			if word, ok := v.(string); ok {
				require.NoError(t, binary.Write(&plain, binary.BigEndian, []int32{9, int32(len(word))}))
				plain.WriteString(word)
				continue
			}
			require.NoError(t, binary.Write(&plain, binary.BigEndian, v))
		}
	}
	const list, tagged, strings, integers, numbers, symbol, null = 19, 2, 16, 13, 14, 1, 254
	const hasAttributes, hasTag = 1 << 9, 1 << 10
	put([]int32{2, 0x40101, 0x20300})
	put([]int32{tagged | hasTag, symbol}, "d")
	put([]int32{list | hasAttributes, int32(len(columns))})
	for _, column := range columns {
		put([]int32{numbers, int32(len(column))}, column)
	}
	put([]int32{tagged | hasTag, symbol}, "names", []int32{strings, int32(len(names))})
	for _, name := range names {
		put(name)
	}
	put([]int32{tagged | hasTag, symbol}, "row.names", []int32{integers, 2, math.MinInt32, -int32(len(columns[0]))})
	put([]int32{tagged | hasTag, symbol}, "class", []int32{strings, 1}, "data.frame", []int32{null, null})
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(plain.Bytes())
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

func TestRecipes(t *testing.T) {
	const weka = "% a comment\r\n@RELATION r\r\n@attribute 'Wheel Base' real\r\n@ATTRIBUTE kind-of{'a, b', c,d}\r\n" +
		"@attribute class {1,2}\r\n\r\n@DATA\r\n% another\r\n0.580,'a, b',1\r\n\r\n-1e-3 , c, 2\r\n?,d,1\r\n"
	for _, test := range []struct {
		name    string
		read    reader
		steps   []step
		content string
		want    string
	}{
		{"arff", arff, []step{lower, gaps("?"), digits(10), words("class", "1=yes,2=no")}, weka,
			"wheel_base,kind_of,class\n0.58,\"a, b\",yes\n-0.001,c,no\n,d,yes\n"},
		{"full rows", arff, []step{gaps("?"), full, drop("Wheel Base"), words("kind-of", "c=C,*=other")}, weka,
			"kind-of,class\nother,1\nC,2\n"},
		{"one column a word", arff, []step{lower, keep("kind_of,class"), oneHot("kind_of,class:2 1")}, weka,
			"\"kind_of_a, b\",kind_of_c,kind_of_d,class_2,class_1\n1,0,0,0,1\n0,1,0,1,0\n0,0,1,0,1\n"},
		{"a header", separated(',', true), []step{lower, drop("rownames"), gaps("NA"), move("ozone", -1)},
			"rownames,Ozone,Solar.R\n1,41,190\n2,NA,118\n", "solar_r,ozone\n190,41\n118,\n"},
		{"no header", separated(',', false), []step{rename("y,x"), move("y", 1), atLeast("y", 2)},
			"1, 5 \n2,6\n", "x,y\n5,neg\n6,pos\n"},
		{"semicolons", separated(';', true), []step{digits(10)}, "a;b\n0.30093000000000003;7.00\n", "a,b\n0.30093,7\n"},
		{"spaces", spaced, []step{move("1", -1), numbered("p%02d", "class"), words("class", "-1=neg,1=pos"), otherWords("class", "-1=1,0.333333=3")},
			"1  -1  0.333333\r\n\n-1 0.333333 0.333333 \r\n", "p01,p02,class\n1,3,pos\n3,3,neg\n"},
		{"names kept", separated(',', true), []step{numbered("f%03d_%s", "class")}, "age,sex,c\n1,2,3\n", "f001_age,f002_sex,class\n1,2,3\n"},
		{"dates", separated(',', true), []step{full, decimalYear("date"), digits(10), target("co2")},
			"date,value\n19580329,316.1\n19600101,\n20000702,1\n", "date,co2\n1958.238356,316.1\n2000.5,1\n"},
		{"households", arff, []step{california, digits(7)},
			"@attribute longitude real\n@attribute latitude real\n@attribute housingMedianAge real\n@attribute totalRooms real\n@attribute totalBedrooms real\n" +
				"@attribute population real\n@attribute households real\n@attribute medianIncome real\n@attribute medianHouseValue real\n@data\n" +
				"-122.230000,37.880000,41.000000,880.000000,129.000000,322.000000,126.000000,8.325200,452600.000000\n",
			"med_inc,house_age,ave_rooms,ave_bedrms,population,ave_occup,latitude,longitude,med_house_val\n" +
				"8.3252,41,6.984127,1.02381,322,2.555556,37.88,-122.23,4.526\n"},
		{"R", rda, []step{digits(10)}, frame(t, []string{"x", "y"}, []float64{-0.5798184952529422, 50, 1e-7}, []float64{1, 2, 1e5}),
			"x,y\n-0.5798184953,1\n50,2\n0.0000001,100000\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := fetcherOf(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/"+commit+"/a folder/the file", r.URL.Path)
				assert.Equal(t, agent, r.UserAgent())
				_, _ = io.WriteString(w, test.content)
			})
			dir := t.TempDir()
			there, err := f.write(t.Context(), setOf("made", test.want, test.read, test.steps, sourceOf("a folder/the file", test.content)), dir, false)
			require.NoError(t, err)
			assert.False(t, there)
			got, err := os.ReadFile(filepath.Join(dir, "made.csv"))
			require.NoError(t, err)
			assert.Equal(t, test.want, string(got))
		})
	}
}

func TestTwoSourcesOfASetAreJoined(t *testing.T) {
	files := map[string]string{"1": "a,b\n1,2\n", "2": "a,b\n3,4\n"}
	requests := 0
	f := fetcherOf(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		_, _ = io.WriteString(w, files[filepath.Base(r.URL.Path)])
	})
	s := setOf("joined", "a,b\n1,2\n3,4\n", separated(',', true), nil, sourceOf("1", files["1"]), sourceOf("2", files["2"]))
	for range 2 {
		_, err := f.csv(t.Context(), s)
		require.NoError(t, err)
	}
	assert.Equal(t, 2, requests, "a file of two sets is asked for once")
}

func TestWhatTheServerMayGetWrong(t *testing.T) {
	const content, csv = "a,b\n1,2\n", "a,b\n1,2\n"
	good := setOf("small", csv, separated(',', true), nil, sourceOf("file", content))
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	wrong := "a,b\n1,3\n"
	for _, test := range []struct {
		name     string
		handler  http.HandlerFunc
		requests int
		is       error
		says     []string
	}{
		{"another checksum", answer(wrong), 1, errContent, []string{checksum([]byte(wrong)), checksum([]byte(content))}},
		{"shorter", answer("a,b\n"), 1, errContent, []string{"4 bytes", "8 bytes", checksum([]byte(content))}},
		{"longer", answer(content + "3,4\n"), 1, errTooLong, []string{"8 bytes", checksum([]byte(content))}},
		{"without an end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, 1, errTooLong, nil},
		{"truncated", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "8")
			_, _ = io.WriteString(w, "a,b\n")
		}, attempts, io.ErrUnexpectedEOF, []string{"after 4 of 8 bytes"}},
		{"not found", http.NotFound, 1, status(404), []string{"404 Not Found"}},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, attempts, status(503), []string{"503"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var requests atomic.Int32
			f := fetcherOf(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				test.handler(w, r)
			})
			dir := t.TempDir()
			_, err := f.write(t.Context(), good, dir, false)
			require.ErrorIs(t, err, test.is)
			for _, word := range append(test.says, f.mirror+"/"+commit+"/file") {
				assert.ErrorContains(t, err, word)
			}
			assert.EqualValues(t, test.requests, requests.Load())
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Empty(t, left, "nothing is written")
		})
	}
	t.Run("broken once", func(t *testing.T) {
		var requests atomic.Int32
		f := fetcherOf(t, func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) == 1 {
				w.WriteHeader(500)
				return
			}
			_, _ = io.WriteString(w, content)
		})
		_, err := f.csv(t.Context(), good)
		require.NoError(t, err)
		assert.EqualValues(t, 2, requests.Load())
	})
	t.Run("another result", func(t *testing.T) {
		s := good
		s.steps = []step{drop("b")}
		_, err := fetcherOf(t, answer(content)).csv(t.Context(), s)
		require.ErrorIs(t, err, errContent)
		for _, word := range []string{"small.csv", "/file", checksum([]byte("a\n1\n")), checksum([]byte(csv))} {
			assert.ErrorContains(t, err, word)
		}
	})
	t.Run("an unreachable host", func(t *testing.T) {
		lookups := 0
		f := fetcherOf(t, answer(content))
		f.client = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			lookups++
			return nil, &net.DNSError{Err: "no such host", Name: "example.org", IsNotFound: true}
		}}}
		_, err := f.csv(t.Context(), good)
		assert.ErrorContains(t, err, "no such host")
		assert.Equal(t, 1, strings.Count(err.Error(), f.mirror), "the address is named once")
		assert.Equal(t, 1, lookups)
	})
	t.Run("unreadable", func(t *testing.T) {
		s := good
		s.read = rda
		_, err := fetcherOf(t, answer(content)).csv(t.Context(), s)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.ErrorContains(t, err, "/file cannot be read")
	})
}

func TestCancelling(t *testing.T) {
	s := setOf("small", "a\n", separated(',', true), nil, source{commit, "file", 2, checksum([]byte("a\n"))})
	t.Run("while the server is silent", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := fetcherOf(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		_, err := f.csv(ctx, s)
		assert.ErrorIs(t, err, context.Canceled)
	})
	t.Run("before the next attempt", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := fetcherOf(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		f.pause = time.Hour
		time.AfterFunc(time.Millisecond, cancel)
		_, err := f.csv(ctx, s)
		assert.ErrorIs(t, err, context.Canceled)
	})
	t.Run("a silent server is left after the limit", func(t *testing.T) {
		f := fetcherOf(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		f.limit = time.Millisecond
		_, err := f.csv(t.Context(), s)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("the command", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := run(ctx, []string{"-out", t.TempDir(), "-sets", "boston"}, io.Discard, io.Discard)
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "boston")
	})
}

func TestFilesThatAreThere(t *testing.T) {
	const content = "a,b\n1,2\n"
	s := setOf("small", content, separated(',', true), nil, sourceOf("file", content))
	requests := 0
	f := fetcherOf(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = io.WriteString(w, content)
	})
	dir := t.TempDir()
	path := filepath.Join(dir, "small.csv")
	mine := "a,b\n7,8\n"
	require.NoError(t, os.WriteFile(path, []byte(mine), 0o644))

	_, err := f.write(t.Context(), s, dir, false)
	require.ErrorIs(t, err, errExists)
	for _, word := range []string{path, "-force", checksum([]byte(mine)), s.sha256} {
		assert.ErrorContains(t, err, word)
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, mine, string(got), "it is as it was")
	assert.Zero(t, requests, "and nothing is fetched for it")

	there, err := f.write(t.Context(), s, dir, true)
	require.NoError(t, err)
	assert.False(t, there)
	got, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, content, string(got))

	for _, force := range []bool{false, true} {
		there, err = f.write(t.Context(), s, dir, force)
		require.NoError(t, err)
		assert.True(t, there)
	}
	assert.Equal(t, 1, requests, "a correct file is not fetched again")
}

func TestTheCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	var out strings.Builder
	run := func(args ...string) error {
		out.Reset()
		return run(t.Context(), args, &out, io.Discard)
	}
	require.NoError(t, run("-out", dir, "-mirror", server.URL, "-sets", "diabetes-progression, breast-cancer-wdbc"))
	assert.Equal(t, "diabetes-progression   copied from examples/data, 18506 bytes\nbreast-cancer-wdbc     copied from examples/data, 123865 bytes\n"+
		"2 fetched, 0 already there, 0 failed, 0 not to be had\n", out.String())
	got, err := os.ReadFile(filepath.Join(dir, "diabetes-progression.csv"))
	require.NoError(t, err)
	want, err := data.FS.ReadFile("diabetes-progression.csv")
	require.NoError(t, err)
	assert.Equal(t, want, got)

	err = run("-out", dir, "-mirror", server.URL+"/", "-sets", "diabetes-progression,heart,bio")
	assert.ErrorContains(t, err, "2 of the sets are not in "+dir)
	assert.Contains(t, out.String(), "diabetes-progression   already there\n")
	assert.Regexp(t, `heart +failed: `+regexp.QuoteMeta(server.URL)+`/renatopp/arff-datasets/[0-9a-f]{40}/classification/heart.statlog.arff: the server answers 404 Not Found\n`, out.String())
	assert.Regexp(t, `bio +not to be had: `, out.String())

	require.NoError(t, run("-list"))
	for _, s := range sets {
		assert.Contains(t, out.String(), fmt.Sprintf("%s.csv, %d bytes, SHA-256 %s\n", s.name, s.size, s.sha256))
		for _, source := range s.sources {
			assert.Contains(t, out.String(), fmt.Sprintf("%s, %d bytes, SHA-256 %s\n", source.address(host), source.size, source.sha256))
		}
	}
	assert.Contains(t, out.String(), "bio: not to be had")

	for says, args := range map[string][]string{
		"-out DIR is missing":                    {},
		`there is no set "bostn"`:                {"-out", dir, "-sets", "bostn"},
		`unexpected argument "boston"`:           {"-out", dir, "boston"},
		`-mirror "example.org"`:                  {"-out", dir, "-mirror", "example.org"},
		"-timeout is 0s, and has to be positive": {"-out", dir, "-timeout", "0s"},
	} {
		assert.ErrorContains(t, run(args...), says)
	}
}

// The program lists the same sets as docs/data.md, and each of their addresses is pinned to a commit.
func TestTheTable(t *testing.T) {
	var names, ours []string
	for _, p := range dataset.Protocols() {
		names = append(names, p.Name)
	}
	for _, s := range sets {
		ours = append(ours, s.name)
		assert.Regexp(t, `^[0-9a-f]{64}$`, s.sha256, s.name)
		assert.NotEmpty(t, s.origin, s.name)
		assert.NotEmpty(t, s.licence, s.name)
		_, err := data.FS.Open(s.name + ".csv")
		assert.Equal(t, err == nil, len(s.sources) == 0, "%s is shipped or has sources", s.name)
		for _, source := range s.sources {
			assert.Regexp(t, `^[^/]+/[^/]+/[0-9a-f]{40}$`, source.at, s.name)
			assert.Regexp(t, `^[0-9a-f]{64}$`, source.sha256, s.name)
			assert.Regexp(t, `^https://raw\.githubusercontent\.com/[!-~]+$`, source.address(host), s.name)
			assert.Positive(t, source.size, s.name)
			assert.LessOrEqual(t, source.size, int64(mostBytes), s.name)
		}
	}
	assert.Equal(t, names, ours, "the sets of package dataset")

	page, err := os.ReadFile(filepath.FromSlash("../../docs/data.md"))
	require.NoError(t, err)
	var rows []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z0-9-]+) \| [A-Z]`).FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, row[1])
	}
	assert.Equal(t, rows, ours, "the table of docs/data.md")
	for _, m := range notToBeHad {
		assert.Contains(t, string(page), strings.ReplaceAll(m.name, "-", " "))
	}
}

// The checksums agree with the files that the measurements used.
func TestTheFilesOfThePapers(t *testing.T) {
	dir := os.Getenv("KERNELEARN_DATA")
	if dir == "" {
		t.Skip("KERNELEARN_DATA names no folder with the papers' sets")
	}
	for _, s := range sets {
		content, err := os.ReadFile(filepath.Join(dir, s.name+".csv"))
		if assert.NoError(t, err) {
			assert.NoError(t, verify(content, s.size, s.sha256), s.name)
		}
	}
}

func TestShippedSetsHaveTheirChecksums(t *testing.T) {
	f := fetcherOf(t, http.NotFound)
	shipped := 0
	for _, s := range sets {
		if len(s.sources) > 0 {
			continue
		}
		shipped++
		_, err := f.csv(t.Context(), s)
		assert.NoError(t, err, s.name)
	}
	assert.Equal(t, 3, shipped)
}

// Files that cannot be read, and steps that do not match their table, return errors.
func TestUnreadableFiles(t *testing.T) {
	for name, test := range map[string]struct {
		read    reader
		content string
		says    string
	}{
		"empty":            {separated(',', true), "", "empty"},
		"header only":      {separated(',', true), "a,b\n", "no rows"},
		"rows of a length": {separated(',', false), "1,2\n3\n", "row 2 has 1 cells, and there are 2 columns"},
		"a quote":          {separated(',', true), "a\n\"b\n", "quote"},
		"spaces only":      {spaced, " \n\n", "empty"},
		"arff rows":        {arff, "@attribute a real\n@data\n1,2\n", "row 1 has 2 cells, and there are 1 columns"},
		"arff quote":       {arff, "@attribute a real\n@data\n'1\n", "a quote is not closed"},
		"arff name":        {arff, "@attribute\n@data\n1\n", "no name"},
		"arff empty":       {arff, "", "no rows"},
		"no R":             {rda, "x", "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.read([]byte(test.content))
			assert.ErrorContains(t, err, test.says)
		})
	}
	for name, test := range map[string]struct {
		step step
		says string
	}{
		"rename":      {rename("a"), "1 names for 2 columns"},
		"keep":        {keep("a,c"), `no column "c" among a, b`},
		"drop":        {drop("c"), `no column "c"`},
		"move":        {move("c", 0), `no column "c"`},
		"words":       {words("a", "2=no"), `row 1: "1" in column a is none of 2=no`},
		"no words":    {words("c", "2=no"), `no column "c"`},
		"other words": {otherWords("a", "1=no"), `row 1: "x" in column b`},
		"at least":    {atLeast("b", 1), "row 1, column b"},
		"one-hot":     {oneHot("a:2 3"), `row 1: "1" in column a is none of 2 3`},
		"no one-hot":  {oneHot("c"), `no column "c"`},
		"dates":       {decimalYear("a"), "row 1, column a"},
		"households":  {california, `no column "medianIncome"`},
		"full":        {func(t *table) error { t.rows[0][0] = ""; return full(t) }, "no rows"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := set{steps: []step{test.step}}.make(&table{names: []string{"a", "b"}, rows: [][]string{{"1", "x"}}})
			assert.ErrorContains(t, err, test.says)
		})
	}
}

// A file that is truncated or changed at any place returns an error or a table, and never panics.
func TestDamagedFilesOfR(t *testing.T) {
	unzipped, err := gzip.NewReader(strings.NewReader(frame(t, []string{"x", "y"}, []float64{1, 2}, []float64{3, 4})))
	require.NoError(t, err)
	plain, err := io.ReadAll(unzipped)
	require.NoError(t, err)
	zipped := func(content []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, err := w.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	for n := range len(plain) - 4 { // the last word ends the list of objects
		_, err := rda(zipped(plain[:n]))
		assert.Error(t, err, "the first %d bytes", n)
	}
	for i := range plain {
		for _, flip := range []byte{0x01, 0x13, 0x80, 0xff} {
			changed := bytes.Clone(plain)
			changed[i] ^= flip
			assert.NotPanics(t, func() { _, _ = rda(zipped(changed)) }, "byte %d", i)
		}
	}
}
