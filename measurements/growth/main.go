// Growth draws the error of the kernel that a search finds against the number of rows. It compares two searches on the same rows:
// by entropy, with its default families, and by a grid of 24 RBF kernels in 3 folds.
//
// The learner is the least-squares SVM up to -exact rows. From there on it is ridge regression on -landmarks Nyström features,
// which for classes has targets of ±1. At -exact rows both are measured, so that a step between learners is not mistaken for one
// between sizes. Columns are standardised. A draw has random test rows, and the first of the other rows in random order. Smaller
// sizes are subsets of larger ones, and the test rows are the same for all sizes.
//
// Sets are read from -data DIR. friedman1 and sine are generated and need no files.
//
//	go run -C measurements ./growth
//	go run -C measurements ./growth -data DIR -out ../docs/measured -cells growth.csv
//	go run -C measurements ./growth -data DIR -sets electricity -rows 500,1000 -draws 2
//
// A complete run takes hours, nearly all of it for the grid on 5000 rows. With -cells FILE every measurement is saved, and saved
// measurements are not repeated. An interrupted run can be continued, and the tables and the picture combine partial runs. They
// show all saved measurements of the requested sets and sizes. Measurements of another version of the library have to be deleted.
package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/progressbar"
)

const (
	drawnSets = "friedman1,sine"
	readSets  = "california-housing,electricity,eeg-eye-state,mammography"
	pictured  = "growth.png"
)

func main() { cli.Main("growth", run) }

// settings holds the values of the flags.
type settings struct {
	sets             []string
	sizes            []int
	dir, cells, out  string
	draws            int
	seed             uint64
	exact, landmarks int
}

func settingsOf(args []string, help io.Writer) (settings, error) {
	var s settings
	flags := cli.NewFlags("growth",
		"growth measures how the error falls with the number of training rows, for a search by entropy and one by a grid.", help)
	flags.StringVar(&s.dir, "data", "", "`folder` of CSV files; empty: the files of the repository")
	names := flags.String("sets", "", "comma separated `names`; empty: "+drawnSets+", and with -data "+readSets)
	sizes := flags.String("rows", join(defaultSizes), "comma separated `numbers` of training rows; those that a set has not are left out")
	flags.IntVar(&s.draws, "draws", 5, "`times` that rows are drawn, from seeds that follow each other")
	flags.Uint64Var(&s.seed, "seed", 1, "of the first draw")
	flags.IntVar(&s.exact, "exact", 5000, "`rows` up to which the learner is the least-squares SVM; 0: it never is")
	flags.IntVar(&s.landmarks, "landmarks", 500, "Nyström features of the learner from there on")
	flags.StringVar(&s.cells, "cells", "", "CSV `file` that keeps measurements; empty: none does")
	flags.StringVar(&s.out, "out", "", "`folder` for the picture, "+pictured+"; empty: none is drawn")
	flags.AtLeast(1, "draws", "landmarks")
	flags.AtLeast(0, "exact")
	flags.Reads("data")
	flags.Writes("cells", "out")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if *names == "" {
		*names = drawnSets
		if s.dir != "" {
			*names = readSets + "," + drawnSets
		}
	}
	s.sets = strings.Split(*names, ",")
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < leastRows {
			return s, fmt.Errorf("-rows %s: want numbers of %d or more", *sizes, leastRows)
		}
		s.sizes = append(s.sizes, n)
	}
	slices.Sort(s.sizes)
	s.sizes = slices.Compact(s.sizes)
	return s, nil
}

func join(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := settingsOf(args, out)
	if err != nil {
		return err
	}
	var sources []source
	for _, name := range s.sets {
		src, err := open(s.dir, name)
		if err != nil {
			return err
		}
		if len(s.places(src)) == 0 {
			return fmt.Errorf("%s has %d training rows besides %d for testing, less than the smallest size", name, src.most, src.test)
		}
		sources = append(sources, src)
	}
	kept, err := readCells(s.cells)
	if err != nil {
		return err
	}
	if err := s.measureAll(ctx, sources, kept, progress); err != nil {
		return err
	}
	curves := s.curves(sources, kept)
	if err := print(out, curves); err != nil || s.out == "" {
		return err
	}
	path := filepath.Join(s.out, pictured)
	if err := drawCurves(path, curves); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "picture:", path)
	return err
}

// measureAll computes the requested measurements that are not saved yet. It computes one draw after the other, so that an
// interrupted run contains complete draws.
func (s settings) measureAll(ctx context.Context, sources []source, kept measurements, progress io.Writer) error {
	type todo struct {
		source source
		key    key
	}
	var all []todo
	for i := range s.draws {
		for _, src := range sources {
			for _, p := range s.places(src) {
				for _, search := range searches {
					k := key{src.name, p.learner, p.rows, search, s.seed + uint64(i)}
					if _, ok := kept.At[k]; !ok {
						all = append(all, todo{src, k})
					}
				}
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	bar := progressbar.New(progress, "measurements", len(all))
	for _, t := range all {
		v, err := s.measure(ctx, t.source, t.key)
		if err != nil {
			return fmt.Errorf("%s, %s, %d rows, %s: %w", t.key.set, t.key.learner, t.key.rows, t.key.search, err)
		}
		if err := kept.Add(t.key, v); err != nil {
			return err
		}
		bar.Add(1)
	}
	bar.Finish()
	return nil
}
