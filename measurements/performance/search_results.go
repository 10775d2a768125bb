package main

import (
	"errors"
	"strconv"

	"github.com/kernelearn/kernelearn/measurements/internal/cells"
)

// searched identifies a search by its name, its rows, their seed and the number of processes of a peer. found holds the error and
// the seconds of each searcher and of the zero value.
type (
	searched struct {
		name string
		rows int
		seed uint64
		jobs int
	}
	found [2 * measured]float64
)

var keptHeader = []string{
	"search", "rows", "seed", "jobs",
	"entropy", "seconds", "grid", "seconds", "halving", "seconds", "nothing set", "seconds",
}

func readKept(file string) (*cells.Cells[searched, found], error) {
	return cells.Read(file, keptHeader, parseFound, recordFound)
}

func parseFound(r []string) (k searched, v found, all error) {
	rows, err1 := strconv.Atoi(r[1])
	seed, err2 := strconv.ParseUint(r[2], 10, 64)
	jobs, err3 := strconv.Atoi(r[3])
	all = errors.Join(err1, err2, err3)
	for i := range v {
		var err error
		v[i], err = strconv.ParseFloat(r[4+i], 64)
		all = errors.Join(all, err)
	}
	return searched{r[0], rows, seed, jobs}, v, all
}

func recordFound(k searched, v found) []string {
	out := []string{k.name, strconv.Itoa(k.rows), strconv.FormatUint(k.seed, 10), strconv.Itoa(k.jobs)}
	for _, value := range v {
		out = append(out, strconv.FormatFloat(value, 'g', 6, 64))
	}
	return out
}

// lastFound returns the results for the last seed. ok is false if a searcher has none, or was stopped at the limit, because another
// limit may let it finish.
func lastFound(r [measured]reached) (v found, ok bool) {
	for i := range r {
		n := len(r[i].errors)
		if r[i].cut || n == 0 {
			return v, false
		}
		v[2*i], v[2*i+1] = r[i].errors[n-1], r[i].seconds[n-1]
	}
	return v, true
}
