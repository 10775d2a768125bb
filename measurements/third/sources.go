package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// stated lists tables of R whose target is stated by the collection that compares methods on them (OpenML-CTR23), or by the pages of
// package modeldata, whose tables are exercises in prediction.
var stated = map[string]string{
	"ggplot2/diamonds": "price", "Ecdat/HI": "whrswk",
	"modeldata/ames": "Sale_Price", "modeldata/attrition": "Attrition", "modeldata/cat_adoption": "event", "modeldata/cells": "class",
	"modeldata/check_times": "check_time", "modeldata/Chicago": "ridership", "modeldata/credit_data": "Status",
	"modeldata/deliveries": "time_to_delivery", "modeldata/hotel_rates": "avg_price_per_room", "modeldata/hpc_data": "class",
	"modeldata/leaf_id_flavia": "species", "modeldata/lending_club": "Class", "modeldata/mlc_churn": "churn",
	"modeldata/stackoverflow": "Remote", "modeldata/taxi": "tip", "modeldata/wa_churn": "churn",
}

const (
	inFirst  = "its records are in the first two collections"
	inUse    = "a program of this repository reads it"
	inOthers = "its records are in another candidate"
)

// excluded lists tables that are left out for a reason that the files do not show.
var excluded = map[string]string{
	"weka-abalone": inFirst, "weka-cal-housing": inFirst, "weka-car": inFirst, "weka-cmc": inFirst, "weka-credit-g": inFirst,
	"weka-elevators": inFirst, "weka-hypothyroid": inFirst, "weka-kr-vs-kp": inFirst, "weka-letter": inFirst, "weka-mushroom": inFirst,
	"weka-optdigits": inFirst, "weka-pendigits": inFirst, "weka-pol": inFirst, "weka-segment": inFirst, "weka-sick": inFirst,
	"weka-solar-flare2": inFirst, "weka-spambase": inFirst, "weka-splice": inFirst, "daag-spam7": inFirst,
	"mldatar-thyroid-disease": inFirst, "weka-kin8nm": "the simulation of kin40k", "weka-puma8nh": "the simulation of pumadyn32nm",
	"weka-puma32h": "the simulation of pumadyn32nm",
	"lme4-verbagg": inUse, "mlmrev-chem97": inUse, "mlmrev-contraception": inUse, "mlmrev-egsingle": inUse, "mlmrev-exam": inUse,
	"aer-cpssw9204": inOthers, "aer-cpssw9298": inOthers, "count-azcabgptca": inOthers, "count-azprocedure": inOthers,
	"count-rwm1984": inOthers, "daag-mifem": inOthers, "openintro-email-test": inOthers, "weka-cpu-small": inOthers,
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf returns the name of a set from those of its source and its table. A remark in brackets is removed.
func nameOf(source, item string) string {
	item, _, _ = strings.Cut(item, " (")
	return strings.Trim(notName.ReplaceAllString(strings.ToLower(source+"-"+item), "-"), "-")
}

// fromR applies the rule to the tables of Rdatasets.
func fromR(ctx context.Context, dir string) (out []candidate, err error) {
	list, err := readCSV(filepath.Join(dir, "datasets.csv"))
	if err != nil {
		return nil, err
	}
	for _, l := range list[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(l[3])
		if err != nil {
			return nil, fmt.Errorf("datasets.csv: %s: %w", l[1], err)
		}
		c := candidate{name: nameOf(l[0], l[1]), target: stated[l[0]+"/"+l[1]]}
		if n < leastRows || n > mostRows {
			continue
		}
		path := filepath.Join(dir, "csv", l[0], l[1]+".csv")
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > mostBytes {
			continue
		}
		if err != nil {
			return nil, err
		}
		records, err := readCSV(path)
		if err != nil {
			return nil, err
		}
		f := frame{names: records[0][1:]} // without the names of the rows
		for _, record := range records[1:] {
			for j, cell := range record {
				if cell = strings.TrimSpace(cell); cell == "NA" {
					cell = ""
				}
				record[j] = cell
			}
			f.rows = append(f.rows, record[1:])
		}
		if c.target == "" {
			page, err := os.ReadFile(filepath.Join(dir, "doc", l[0], l[1]+".html"))
			if err != nil {
				return nil, err
			}
			c.target = targetOf(string(page), f.names)
		}
		if c.target != "" {
			out = append(out, c.apply(f))
		}
	}
	return out, nil
}

func readCSV(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	r := csv.NewReader(f)
	r.LazyQuotes = true
	records, err := r.ReadAll()
	if err == nil && len(records) == 0 {
		err = errors.New("no header")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return records, nil
}

// fromWeka applies the rule to the files of arff-datasets. Their target is the last attribute.
func fromWeka(ctx context.Context, dir string) (out []candidate, err error) {
	for _, folder := range []string{"classification", "regression"} {
		paths, err := filepath.Glob(filepath.Join(dir, folder, "*.arff"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t, err := table.ReadARFF(path, &table.Options{TargetLast: true, Format: table.Format{WordsAsGaps: true, RoundIntegers: true}})
			if err != nil {
				out = append(out, candidate{name: nameOf("weka", strings.TrimSuffix(filepath.Base(path), ".arff")), reason: "not read: " + strings.TrimPrefix(err.Error(), path)})
				continue
			}
			if t.Rows() < leastRows {
				continue
			}
			f, err := frameOf(t)
			if err != nil {
				return nil, err
			}
			c := candidate{name: nameOf("weka", strings.TrimSuffix(filepath.Base(path), ".arff")), target: f.names[len(f.names)-1]}
			out = append(out, c.apply(f))
		}
	}
	return out, nil
}

// frameOf returns the cells of a table. A nominal value that is a number gets a letter, so that it remains a word.
func frameOf(t *table.Table) (f frame, err error) {
	f.rows = make([][]string, t.Rows())
	for _, column := range t.Schema.Columns {
		texts, err := t.Texts(column.Name)
		if err != nil {
			return f, err
		}
		_, isNumber := numbers(texts)
		f.names = append(f.names, column.Name)
		for i, text := range texts {
			if text == "?" {
				text = ""
			}
			if text != "" && isNumber && column.Kind == table.Category {
				text = "k" + text
			}
			f.rows[i] = append(f.rows[i], text)
		}
	}
	return f, nil
}

// apply applies the rule to the columns of a table with the candidate's target.
func (c candidate) apply(f frame) candidate {
	if c.reason = excluded[c.name]; c.reason == "" {
		c.frame, c.reason = f.features(c.target)
	}
	return c
}
