package text

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/sparse"
)

const (
	// chunkDocuments is the number of documents that a goroutine processes at a time.
	chunkDocuments = 64
	// bytesOfEntry is the memory for an entry while both a chunk and the result hold it.
	bytesOfEntry = 32
	// termsPerCheck is the number of terms of a document between two checks of the context.
	termsPerCheck = 1 << 14
)

// budget limits the bytes that all goroutines allocate together.
type budget struct {
	typ, what string
	limit     int64
	taken     atomic.Int64
}

func newBudget(typ, what string, limit int64) *budget {
	return &budget{typ: typ, what: what, limit: cmp.Or(limit, int64(check.MaxBytes))}
}

// take adds bytes to the sum so far. It returns an ErrTooLarge error if the sum exceeds the limit.
func (b *budget) take(bytes int) error {
	return check.BytesWithin(fmt.Sprintf("%s: %s", b.typ, b.what), float64(b.taken.Add(int64(bytes))), b.limit,
		"take fewer documents at a time, shorter terms or fewer columns; or raise MaxBytes")
}

// checkDocuments returns an error if there are no documents.
func checkDocuments(typ string, documents []string) error {
	if len(documents) == 0 {
		return fault.Shape(typ+": there are", 0, "documents", "want at least 1")
	}
	return nil
}

func chunkCount(documents []string) int {
	return (len(documents) + chunkDocuments - 1) / chunkDocuments
}

func chunkOf(documents []string, c int) []string {
	return documents[c*chunkDocuments : min((c+1)*chunkDocuments, len(documents))]
}

// entries holds the entries of all rows of a chunk.
type entries struct {
	count  []int // of each row
	column []int
	value  []float64
}

// vectorizer computes the rows of documents.
type vectorizer struct {
	typ     string
	d       int
	limit   int64
	workers int
	*analyzer
	// column returns the column of a term and the number that the term adds to it. The result ok is false for a term without a
	// column.
	column func(term []byte) (j int, add float64, ok bool)
	// finish replaces the sums in a row with its values.
	finish func(columns []int, values []float64)
}

// rows returns the rows of documents. The entries do not depend on the number of workers.
func (v *vectorizer) rows(ctx context.Context, documents []string) (*sparse.Rows, error) {
	if err := checkDocuments(v.typ, documents); err != nil {
		return nil, err
	}
	limit := newBudget(v.typ, fmt.Sprintf("the entries of %d documents", len(documents)), v.limit)
	if err := limit.take(8 * len(documents)); err != nil {
		return nil, err
	}
	chunks := make([]entries, chunkCount(documents))
	err := parallel.ForEach(ctx, v.workers, len(chunks), func(c int) (err error) {
		chunks[c], err = v.chunk(ctx, chunkOf(documents, c), limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for _, c := range chunks {
		total += len(c.column)
	}
	start, column, value := make([]int, 1, len(documents)+1), make([]int, 0, total), make([]float64, 0, total)
	for _, c := range chunks {
		for _, n := range c.count {
			start = append(start, start[len(start)-1]+n)
		}
		column, value = append(column, c.column...), append(value, c.value...)
	}
	return sparse.NewRows(v.d, start, column, value)
}

func (v *vectorizer) chunk(ctx context.Context, documents []string, limit *budget) (out entries, err error) {
	sums := map[int]float64{}
	for _, document := range documents {
		clear(sums)
		err := v.each(document, looking(ctx, func(term []byte) error {
			if j, add, ok := v.column(term); ok {
				sums[j] += add
			}
			return nil
		}))
		if err != nil {
			return out, err
		}
		if err := limit.take(bytesOfEntry * len(sums)); err != nil {
			return out, err
		}
		first := len(out.column)
		for j := range sums {
			out.column = append(out.column, j)
		}
		slices.Sort(out.column[first:])
		for _, j := range out.column[first:] {
			out.value = append(out.value, sums[j])
		}
		out.count = append(out.count, len(sums))
		v.finish(out.column[first:], out.value[first:])
	}
	return out, nil
}

// looking returns a function that calls f and regularly checks the context.
func looking(ctx context.Context, f func(term []byte) error) func(term []byte) error {
	count := 0
	return func(term []byte) error {
		if count++; count%termsPerCheck == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return f(term)
	}
}
