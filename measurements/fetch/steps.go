package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// step changes a table. The steps of a set convert the content of its source into that of name.csv.
type step func(t *table) error

// rename sets the names of all columns to names, a list separated by commas.
func rename(names string) step {
	return func(t *table) error {
		list := strings.Split(names, ",")
		if len(list) != len(t.names) {
			return fmt.Errorf("there are %d names for %d columns", len(list), len(t.names))
		}
		t.names = list
		return nil
	}
}

// numbered formats the name of each column with its number, from 1. If the format contains a second verb, the old name is used for
// it. The last column is the target, whose name is the argument target.
func numbered(format, target string) step {
	return func(t *table) error {
		for j, name := range t.names {
			if strings.Contains(format, "%s") {
				t.names[j] = fmt.Sprintf(format, j+1, name)
			} else {
				t.names[j] = fmt.Sprintf(format, j+1)
			}
		}
		t.names[len(t.names)-1] = target
		return nil
	}
}

// lower writes the names of columns in lower case, with an underscore for each character that is neither a letter nor a digit.
func lower(t *table) error {
	for j, name := range t.names {
		t.names[j] = strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
				return c
			}
			return '_'
		}, strings.ToLower(name))
	}
	return nil
}

// keep keeps only the named columns, in the given order.
func keep(names string) step {
	return func(t *table) error {
		var places []int
		list := strings.Split(names, ",")
		for _, name := range list {
			j, err := t.column(name)
			if err != nil {
				return err
			}
			places = append(places, j)
		}
		for i, row := range t.rows {
			cells := make([]string, len(places))
			for k, j := range places {
				cells[k] = row[j]
			}
			t.rows[i] = cells
		}
		t.names = list
		return nil
	}
}

// drop removes columns.
func drop(names string) step {
	return func(t *table) error {
		out := strings.Split(names, ",")
		for _, name := range out {
			if _, err := t.column(name); err != nil {
				return err
			}
		}
		left := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return slices.Contains(out, name) })
		return keep(strings.Join(left, ","))(t)
	}
}

// move moves a column to a position, counted from 0. The position -1 is the last.
func move(name string, place int) step {
	return func(t *table) error {
		j, err := t.column(name)
		if err != nil {
			return err
		}
		if place < 0 {
			place += len(t.names)
		}
		names := slices.Insert(slices.Delete(slices.Clone(t.names), j, j+1), place, name)
		return keep(strings.Join(names, ","))(t)
	}
}

// target sets the name of the last column.
func target(name string) step {
	return func(t *table) error {
		t.names[len(t.names)-1] = name
		return nil
	}
}

// words replaces the words of a column, for example with "0=no,1=yes". Other words are an error, unless "*" stands for all of them,
// as in "*=neg".
func words(name, pairs string) step {
	return func(t *table) error {
		j, err := t.column(name)
		if err != nil {
			return err
		}
		to := pairsOf(pairs)
		for i, row := range t.rows {
			word, ok := to[row[j]]
			if !ok {
				if word, ok = to["*"]; !ok {
					return fmt.Errorf("row %d: %q in column %s is none of %s", i+1, row[j], name, pairs)
				}
			}
			row[j] = word
		}
		return nil
	}
}

// otherWords replaces words in all columns except one.
func otherWords(but, pairs string) step {
	return func(t *table) error {
		for _, name := range t.names {
			if name != but {
				if err := words(name, pairs)(t); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// pairsOf parses "a=b,c=d".
func pairsOf(pairs string) map[string]string {
	to := map[string]string{}
	for pair := range strings.SplitSeq(pairs, ",") {
		from, word, _ := strings.Cut(pair, "=")
		to[from] = word
	}
	return to
}

// atLeast replaces the numbers of a column with pos if they are at least low, and with neg otherwise.
func atLeast(name string, low float64) step {
	return func(t *table) error {
		j, err := t.column(name)
		if err != nil {
			return err
		}
		for i, row := range t.rows {
			v, err := strconv.ParseFloat(row[j], 64)
			if err != nil {
				return fmt.Errorf("row %d, column %s: %w", i+1, name, err)
			}
			row[j] = "neg"
			if v >= low {
				row[j] = "pos"
			}
		}
		return nil
	}
}

// gaps empties the cells that contain the mark of a missing value.
func gaps(mark string) step {
	return func(t *table) error {
		for _, row := range t.rows {
			for j, cell := range row {
				if cell == mark {
					row[j] = ""
				}
			}
		}
		return nil
	}
}

// full removes the rows with an empty cell.
func full(t *table) error {
	t.rows = slices.DeleteFunc(t.rows, func(row []string) bool { return slices.Contains(row, "") })
	return nil
}

// digits writes every number in decimal form, with at most the given number of significant digits. Other cells stay unchanged.
func digits(most int) step {
	return func(t *table) error {
		for _, row := range t.rows {
			for j, cell := range row {
				if cell == "" || !strings.ContainsRune("+-.0123456789", rune(cell[0])) {
					continue
				}
				if v, err := strconv.ParseFloat(cell, 64); err == nil {
					row[j] = decimal(v, most)
				}
			}
		}
		return nil
	}
}

// decimal formats a number in decimal form, with at most the given number of significant digits.
func decimal(v float64, most int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', most, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// oneHot replaces each of the named columns with one column of 0 and 1 for each of its words. The words are in alphabetical order.
// If they are given after a colon, as in "sex:M F I,colour", they are in that order.
func oneHot(columns string) step {
	return func(t *table) error {
		for column := range strings.SplitSeq(columns, ",") {
			name, order, given := strings.Cut(column, ":")
			j, err := t.column(name)
			if err != nil {
				return err
			}
			list := strings.Fields(order)
			if !given {
				for _, row := range t.rows {
					list = append(list, row[j])
				}
				slices.Sort(list)
				list = slices.Compact(list)
			}
			var names []string
			for _, word := range list {
				names = append(names, name+"_"+strings.ToLower(word))
			}
			t.names = slices.Replace(t.names, j, j+1, names...)
			for i, row := range t.rows {
				at := slices.Index(list, row[j])
				if at < 0 {
					return fmt.Errorf("row %d: %q in column %s is none of %s", i+1, row[j], name, order)
				}
				cells := slices.Repeat([]string{"0"}, len(list))
				cells[at] = "1"
				t.rows[i] = slices.Replace(row, j, j+1, cells...)
			}
		}
		return nil
	}
}

// decimalYear replaces a date in the form 20060102 with its year plus the fraction of the year that has passed.
func decimalYear(name string) step {
	return func(t *table) error {
		j, err := t.column(name)
		if err != nil {
			return err
		}
		for i, row := range t.rows {
			day, err := time.Parse("20060102", row[j])
			if err != nil {
				return fmt.Errorf("row %d, column %s: %w", i+1, name, err)
			}
			start := time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
			passed := day.Sub(start).Hours() / start.AddDate(1, 0, 0).Sub(start).Hours()
			row[j] = strconv.FormatFloat(float64(day.Year())+passed, 'f', 6, 64)
		}
		return nil
	}
}

// california computes the columns of scikit-learn's copy of the Californian houses. Three of them are means per household, computed
// from the sums in the source. The target is in units of 100 000 dollars.
func california(t *table) error {
	names := strings.Split("medianIncome,housingMedianAge,totalRooms,totalBedrooms,population,households,latitude,longitude,medianHouseValue",
		",")
	if err := keep(strings.Join(names, ","))(t); err != nil {
		return err
	}
	for i, row := range t.rows {
		v := make([]float64, len(row))
		for j, cell := range row {
			var err error
			if v[j], err = strconv.ParseFloat(cell, 64); err != nil {
				return fmt.Errorf("row %d, column %s: %w", i+1, names[j], err)
			}
		}
		households := v[5]
		v[2], v[3], v[5], v[8] = v[2]/households, v[3]/households, v[4]/households, v[8]/100000
		for j := range row {
			row[j] = strconv.FormatFloat(v[j], 'g', -1, 64)
		}
	}
	t.names = strings.Split("med_inc,house_age,ave_rooms,ave_bedrms,population,ave_occup,latitude,longitude,med_house_val", ",")
	return nil
}
