package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/kernelearn/kernelearn/measurements/internal/cells"
)

// key identifies a measurement.
type key struct {
	table, set, learner string
	rows, landmarks     int // 0 landmarks: the learner chooses
	seed                uint64
}

func (k key) String() string {
	on := ""
	if k.landmarks > 0 {
		on = fmt.Sprintf(" on %d landmarks", k.landmarks)
	}
	return fmt.Sprintf("%s: %s, %d rows, %s%s, draw %d", k.table, k.set, k.rows, k.learner, on, k.seed)
}

// value holds the error of the test rows, and the costs and details of the fit. Unknown values are NaN.
type value struct {
	error, seconds, processor float64
	megabytes                 float64 // peak memory of the fit minus the memory before it
	landmarks, iterations     float64
}

func (v *value) fields() []*float64 {
	return []*float64{&v.error, &v.seconds, &v.processor, &v.megabytes, &v.landmarks, &v.iterations}
}

var header = []string{"table", "set", "learner", "rows", "landmarks_given", "seed", "error", "seconds", "processor_seconds", "megabytes",
	"landmarks", "iterations"}

func readCells(path string) (*cells.Cells[key, value], error) {
	return cells.Read(path, header, parse, record)
}

func parse(r []string) (key, value, error) {
	rows, err1 := strconv.Atoi(r[3])
	landmarks, err2 := strconv.Atoi(r[4])
	seed, err3 := strconv.ParseUint(r[5], 10, 64)
	all := errors.Join(err1, err2, err3)
	var v value
	for j, field := range v.fields() {
		var err error
		*field, err = strconv.ParseFloat(r[6+j], 64)
		all = errors.Join(all, err)
	}
	return key{r[0], r[1], r[2], rows, landmarks, seed}, v, all
}

func record(k key, v value) []string {
	out := []string{k.table, k.set, k.learner, strconv.Itoa(k.rows), strconv.Itoa(k.landmarks), strconv.FormatUint(k.seed, 10)}
	for _, field := range v.fields() {
		out = append(out, strconv.FormatFloat(*field, 'g', 6, 64))
	}
	return out
}
