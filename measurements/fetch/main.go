// Fetch writes the public data sets of the papers into a folder, which other programs then read with -data. The source of each set
// is a file at a fixed commit of a public repository. The SHA-256 of the file is checked before it is read, and the SHA-256 of
// name.csv is checked before it is written. Existing files are kept. docs/data.md describes the sets.
//
//	go run -C measurements ./fetch -out DIR
//	go run -C measurements ./fetch -out DIR -sets boston,heart
//	go run -C measurements ./fetch -list
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() { cli.Main("fetch", run) }

// run runs the program with the given arguments. It returns an error if a requested set is not in the folder at the end.
func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("fetch", "fetch writes the public data sets of the papers into a folder.", out)
	dir := flags.String("out", "", "the `folder` to write to; it is made if it is not there")
	only := flags.String("sets", "", "the `sets` to fetch, separated by commas; all, if empty")
	list := flags.Bool("list", false, "list the sets, with their addresses and checksums, and fetch nothing")
	force := flags.Bool("force", false, "replace files that are there and have another checksum")
	mirror := flags.String("mirror", host, "scheme and host of a `server` that has the files under the same paths")
	limit := flags.Duration("timeout", 2*time.Minute, "the longest that one file may take")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	asked, missing, err := choose(*only)
	if err != nil {
		return err
	}
	if *list {
		return show(out, asked, missing, *mirror)
	}
	if *dir == "" {
		return errors.New("-out DIR is missing: the folder to write to")
	}
	if u, err := url.Parse(*mirror); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("-mirror %q is not a scheme and a host, such as %s", *mirror, host)
	}
	if *limit <= 0 {
		return fmt.Errorf("-timeout is %v, and has to be positive", *limit)
	}
	f := &fetcher{client: &http.Client{}, mirror: *mirror, limit: *limit, pause: time.Second, got: map[string][]byte{}}
	return f.all(ctx, out, asked, missing, *dir, *force, *only != "")
}

// all fetches sets and prints a line for each of them.
func (f *fetcher) all(ctx context.Context, out io.Writer, asked []set, missing []notHad, dir string, force, byName bool) error {
	var fetched, there, failed int
	for _, s := range asked {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before %s: %w", s.name, ctx.Err())
		}
		was, err := f.write(ctx, s, dir, force)
		switch {
		case err != nil:
			failed++
			fmt.Fprintf(out, "%-22s failed: %v\n", s.name, err)
		case was:
			there++
			fmt.Fprintf(out, "%-22s already there\n", s.name)
		case len(s.sources) == 0:
			fetched++
			fmt.Fprintf(out, "%-22s copied from examples/data, %d bytes\n", s.name, s.size)
		default:
			fetched++
			fmt.Fprintf(out, "%-22s fetched, %d bytes\n", s.name, s.size)
		}
	}
	for _, m := range missing {
		fmt.Fprintf(out, "%-22s not to be had: %s\n", m.name, m.why)
	}
	fmt.Fprintf(out, "%d fetched, %d already there, %d failed, %d not to be had\n", fetched, there, failed, len(missing))
	if byName {
		failed += len(missing)
	}
	if failed > 0 {
		return fmt.Errorf("%d of the sets are not in %s", failed, dir)
	}
	return nil
}

// choose returns the sets with the given names, or all sets. The second result holds those that are not available.
func choose(only string) ([]set, []notHad, error) {
	if only == "" {
		return sets, notToBeHad, nil
	}
	var chosen []set
	var missing []notHad
	for name := range strings.SplitSeq(only, ",") {
		name = strings.TrimSpace(name)
		if i := slices.IndexFunc(sets, func(s set) bool { return s.name == name }); i >= 0 {
			chosen = append(chosen, sets[i])
		} else if i := slices.IndexFunc(notToBeHad, func(m notHad) bool { return m.name == name }); i >= 0 {
			missing = append(missing, notToBeHad[i])
		} else {
			return nil, nil, fmt.Errorf("there is no set %q; -list shows those that there are", name)
		}
	}
	return chosen, missing, nil
}

// show prints the table of sets.
func show(out io.Writer, asked []set, missing []notHad, mirror string) error {
	for _, s := range asked {
		fmt.Fprintf(out, "%s.csv, %d bytes, SHA-256 %s\n\t%s; licence: %s\n", s.name, s.size, s.sha256, s.origin, s.licence)
		for _, source := range s.sources {
			fmt.Fprintf(out, "\t%s, %d bytes, SHA-256 %s\n", source.address(mirror), source.size, source.sha256)
		}
		if len(s.sources) == 0 {
			fmt.Fprintf(out, "\tshipped in examples/data\n")
		}
	}
	for _, m := range missing {
		if _, err := fmt.Fprintf(out, "%s: not to be had: %s\n", m.name, m.why); err != nil {
			return err
		}
	}
	return nil
}
