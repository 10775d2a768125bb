// Third writes the benchmark's third collection of data sets as CSV files. The sets come from two public repositories.
//
//	git clone https://github.com/vincentarelbundock/Rdatasets
//	git clone https://github.com/renatopp/arff-datasets
//	go run -C measurements ./third -rdatasets Rdatasets -arff arff-datasets -out DIR
//
// docs/measured/third-collection.md states the commits, and the rule that chooses the sets. The program applies the rule and
// compares the sets with the list that was committed before any method ran on them. If a set differs, the error names it. -list
// prints the candidates of the rule with the reason for each that is left out.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/atomicfile"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

func main() { cli.Main("third", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("third", "third writes the benchmark's third collection of data sets as CSV files.", out)
	r := flags.String("rdatasets", "", "the `folder` of a clone of github.com/vincentarelbundock/Rdatasets")
	weka := flags.String("arff", "", "the `folder` of a clone of github.com/renatopp/arff-datasets")
	to := flags.String("out", "", "the `folder` to write to")
	list := flags.Bool("list", false, "print the candidates of the rule, and write nothing")
	flags.Reads("rdatasets", "arff")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *r == "" || *weka == "" || *to == "" && !*list {
		return errors.New("want -rdatasets, -arff and -out")
	}
	found, err := fromR(ctx, *r)
	if err != nil {
		return err
	}
	others, err := fromWeka(ctx, *weka)
	if err != nil {
		return err
	}
	found = append(found, others...)
	choose(found)
	if *list {
		return printAll(out, found)
	}
	return write(found, *to, out)
}

// candidate is a table to which the rule was applied.
type candidate struct {
	name, target string
	frame        // with the target last; empty if the candidate is left out
	reason       string
	chosen       bool
}

func (c candidate) words() (n int) {
	for j := range len(c.names) - 1 {
		if _, number := numbers(c.column(j)); !number {
			n++
		}
	}
	return n
}

func (c candidate) hasGaps() bool {
	return slices.ContainsFunc(c.rows, func(row []string) bool { return slices.Contains(row, "") })
}

func (c candidate) classes() int {
	if target := c.column(len(c.names) - 1); isClass(target) {
		return len(counts(target))
	}
	return 0
}

// The sizes of the collection: the numbers of sets with more than manyRows rows, of sets with gaps, of sets with classes, and of all
// sets.
const (
	manyRows                    = 10_000
	large, gappy, classes, size = 14, 14, 17, 42
)

// choose chooses the sets among the candidates, in the order of the hashes of their names. Large sets come first, those
// with gaps before the others. Then come sets with gaps until there are enough of them, then sets with classes, and then other sets.
func choose(found []candidate) {
	order := make([]*candidate, 0, len(found))
	for i := range found {
		if found[i].reason == "" {
			order = append(order, &found[i])
		}
	}
	slices.SortFunc(order, func(a, b *candidate) int { return cmp.Compare(hash([]byte(a.name)), hash([]byte(b.name))) })
	take := func(fits func(c *candidate) bool, enough func() bool) {
		for _, c := range order {
			if !c.chosen && !enough() && fits(c) {
				c.chosen = true
			}
		}
	}
	chosen := func(fits func(c *candidate) bool) (n int) {
		for _, c := range order {
			if c.chosen && fits(c) {
				n++
			}
		}
		return n
	}
	isLarge := func(c *candidate) bool { return len(c.rows) > manyRows }
	isGappy := func(c *candidate) bool { return c.hasGaps() }
	isSmall := func(c *candidate) bool { return !isLarge(c) }
	take(func(c *candidate) bool { return isLarge(c) && isGappy(c) }, func() bool { return chosen(isLarge) >= large })
	take(isLarge, func() bool { return chosen(isLarge) >= large })
	take(func(c *candidate) bool { return isSmall(c) && isGappy(c) }, func() bool { return chosen(isGappy) >= gappy })
	isClassified := func(c *candidate) bool { return c.classes() > 0 }
	take(func(c *candidate) bool { return isSmall(c) && isClassified(c) }, func() bool { return chosen(isClassified) >= classes })
	take(isSmall, func() bool { return chosen(func(*candidate) bool { return true }) >= size })
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func printAll(out io.Writer, found []candidate) error {
	for _, c := range found {
		if c.reason != "" {
			fmt.Fprintf(out, "# %s: %s\n", c.name, c.reason)
			continue
		}
		line, err := c.line()
		if err != nil {
			return err
		}
		if !c.chosen {
			line = "# " + line + ": not drawn"
		}
		fmt.Fprintln(out, line)
	}
	return nil
}

// line returns the set's line of the committed list.
func (c candidate) line() (string, error) {
	text, err := c.csv()
	return strings.Join([]string{c.name, c.target, strconv.Itoa(len(c.rows)), strconv.Itoa(len(c.names) - 1), strconv.Itoa(c.classes()),
		strconv.Itoa(c.words()), strconv.FormatBool(c.hasGaps()), hash(text)}, ","), err
}

// write writes the chosen sets, which must be those of the committed list.
func write(found []candidate, dir string, out io.Writer) error {
	var lines []string
	for _, c := range found {
		if !c.chosen {
			continue
		}
		line, err := c.line()
		if err != nil {
			return err
		}
		lines = append(lines, line)
		if !slices.Contains(collection.ThirdLines(), line) {
			return fmt.Errorf("%s: the set differs from that of the list: it is %s", c.name, line)
		}
	}
	for _, line := range collection.ThirdLines() {
		if !slices.Contains(lines, line) {
			return fmt.Errorf("the rule did not choose the set of the list %s", line)
		}
	}
	for _, c := range found {
		if !c.chosen {
			continue
		}
		text, err := c.csv()
		if err != nil {
			return err
		}
		if err := atomicfile.WriteBytes(filepath.Join(dir, c.name+".csv"), text); err != nil {
			return err
		}
		fmt.Fprintf(out, "%-32s %6d rows, %3d columns, %2d classes\n", c.name, len(c.rows), len(c.names)-1, c.classes())
	}
	return nil
}

// csv returns the set with a header and the target in the last column. A letter is put before classes that are
// numbers, so that they are not read as a numeric target.
func (c candidate) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	last := len(c.names) - 1
	_, isNumber := numbers(c.column(last))
	numbered := isNumber && c.classes() > 0
	err := w.Write(c.names)
	for _, row := range c.rows {
		row = slices.Clone(row)
		if numbered {
			row[last] = "c" + row[last]
		}
		err = errors.Join(err, w.Write(row))
	}
	w.Flush()
	return b.Bytes(), errors.Join(err, w.Error())
}
