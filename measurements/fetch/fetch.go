package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
)

const (
	host      = "https://raw.githubusercontent.com"
	agent     = "kernelearn-examples-data-fetch (+https://github.com/kernelearn/kernelearn)"
	mostBytes = 16 << 20 // limit of a file, before and after unpacking
	attempts  = 3
)

// set describes a data set, with the steps that produce name.csv.
type set struct {
	name    string
	size    int64  // of name.csv
	sha256  string // of name.csv
	origin  string // the reference
	licence string
	// sources lists the files of the set, whose rows are appended in this order. A set without sources is shipped with the
	// repository.
	sources []source
	read    reader
	steps   []step
}

// source is a file in a repository on GitHub at one commit.
type source struct {
	at     string // owner/name/commit
	path   string
	size   int64
	sha256 string
}

// address returns the URL of the file, on the host or on a mirror.
func (s source) address(mirror string) string {
	var path []string
	for part := range strings.SplitSeq(s.path, "/") {
		path = append(path, url.PathEscape(part))
	}
	return strings.TrimSuffix(mirror, "/") + "/" + s.at + "/" + strings.Join(path, "/")
}

// The errors of a file that was fetched, written or found.
var (
	errTooLong = errors.New("the file is too long")
	errContent = errors.New("the content is another one")
	errExists  = errors.New("a file of that name is there already, and only -force replaces it")
)

// verify returns an error unless content has this size and SHA-256.
func verify(content []byte, size int64, want string) error {
	if got := checksum(content); int64(len(content)) != size || got != want {
		return fmt.Errorf("%w: %d bytes with SHA-256 %s instead of %d bytes with %s", errContent, len(content), got, size, want)
	}
	return nil
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// fetcher fetches files.
type fetcher struct {
	client *http.Client
	mirror string        // scheme and host
	limit  time.Duration // of an attempt
	pause  time.Duration // pause before the second attempt; twice as long before the third
	got    map[string][]byte
}

// status is an HTTP status other than 200.
type status int

func (s status) Error() string {
	return fmt.Sprintf("the server answers %d %s", int(s), http.StatusText(int(s)))
}

// passing reports whether another attempt may succeed after the error.
func passing(err error) bool {
	var answer status
	if errors.As(err, &answer) {
		return answer >= 500 || answer == http.StatusTooManyRequests || answer == http.StatusRequestTimeout
	}
	var unknown *net.DNSError
	if errors.As(err, &unknown) && unknown.IsNotFound {
		return false
	}
	return !errors.Is(err, errTooLong) && !errors.Is(err, errContent)
}

// file returns the bytes of a source if their checksum is correct.
func (f *fetcher) file(ctx context.Context, s source) ([]byte, error) {
	address := s.address(f.mirror)
	if content, ok := f.got[address]; ok {
		return content, nil
	}
	var failed error
	for i := range attempts {
		if i > 0 {
			select {
			case <-time.After(f.pause << (i - 1)):
			case <-ctx.Done():
				return nil, fmt.Errorf("%s: %w", address, ctx.Err())
			}
		}
		var content []byte
		if content, failed = f.attempt(ctx, address, s); failed == nil {
			f.got[address] = content
			return content, nil
		}
		if ctx.Err() != nil || !passing(failed) {
			break
		}
	}
	return nil, fmt.Errorf("%s: %w", address, failed)
}

// attempt requests a source once.
func (f *fetcher) attempt(ctx context.Context, address string, s source) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", agent)
	answer, err := f.client.Do(request)
	if err != nil {
		var named *url.Error // this error would name the address, which file adds
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, status(answer.StatusCode)
	}
	// Reading one byte more than expected detects a file that is too long.
	content, err := io.ReadAll(io.LimitReader(answer.Body, min(s.size, mostBytes)+1))
	if err != nil {
		return nil, fmt.Errorf("after %d of %d bytes: %w", len(content), s.size, err)
	}
	if int64(len(content)) > s.size {
		return nil, fmt.Errorf("%w: it should have %d bytes with SHA-256 %s", errTooLong, s.size, s.sha256)
	}
	return content, verify(content, s.size, s.sha256)
}

// csv returns the bytes of name.csv if their checksum is correct.
func (f *fetcher) csv(ctx context.Context, s set) ([]byte, error) {
	if len(s.sources) == 0 {
		content, err := fs.ReadFile(data.FS, s.name+".csv")
		if err != nil {
			return nil, err
		}
		return content, verify(content, s.size, s.sha256)
	}
	var whole *table
	for _, source := range s.sources {
		content, err := f.file(ctx, source)
		if err != nil {
			return nil, err
		}
		part, err := s.read(content)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", source.address(f.mirror), err)
		}
		if whole == nil {
			whole = part
			continue
		}
		whole.rows = append(whole.rows, part.rows...)
	}
	content, err := s.make(whole)
	if err == nil {
		err = verify(content, s.size, s.sha256)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.csv, made of %s: %w", s.name, s.sources[0].address(f.mirror), err)
	}
	return content, nil
}

// make applies the steps to the source's table, and returns the bytes of name.csv.
func (s set) make(t *table) ([]byte, error) {
	for _, step := range s.steps {
		if err := step(t); err != nil {
			return nil, err
		}
	}
	return t.csv()
}

// write writes the set into a folder. It reports whether the folder already contained the set.
func (f *fetcher) write(ctx context.Context, s set, dir string, force bool) (there bool, err error) {
	path := filepath.Join(dir, s.name+".csv")
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	default:
		wrong := verify(old, s.size, s.sha256)
		if wrong == nil {
			return true, nil
		}
		if !force {
			return false, fmt.Errorf("%s: %w: %w", path, errExists, wrong)
		}
	}
	content, err := f.csv(ctx, s)
	if err != nil {
		return false, err
	}
	return false, atomicfile.WriteBytes(path, content)
}
