package text

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/sparse"
)

const tfidfType = "text: TFIDF"

// TFIDF weights the terms of documents. Fit computes the vocabulary and its weights. The row of a document contains for each term
//
//	count · (ln((1+n)/(1+m)) + 1)
//
// where count is the number of times that the term occurs in the document, n is the number of documents in Fit, and m is the number
// of these that contain the term. The row is then divided by its length. The columns are the terms in the order of their bytes. The
// formulas and defaults are those of TfidfVectorizer of scikit-learn.
//
// The zero value is ready to use. The time and memory of Fit and Transform are proportional to the number of terms in all
// documents.
//
// See also [Hashing].
type TFIDF struct {
	// Terms selects the terms.
	Terms Terms

	// MinDocuments and MaxDocuments are the smallest and the largest number of documents that may contain a term of the vocabulary.
	// A value of 0 sets no limit.
	MinDocuments int `zero:"no limit"`
	MaxDocuments int `zero:"no limit"`

	// MinShare and MaxShare are the same limits as shares of the documents.
	MinShare float64 `zero:"no limit" most:"1"`
	MaxShare float64 `zero:"no limit" most:"1"`

	// MaxTerms limits the vocabulary to the terms with the largest counts in all documents. Terms with equal counts are chosen in
	// the order of their bytes. If it is 0, there is no limit.
	MaxTerms int `zero:"no limit"`

	// Sublinear replaces the count with 1 + ln(count).
	Sublinear bool

	// Binary replaces the count with 1.
	Binary bool

	// NoIDF omits the factor that depends on the number of documents with the term.
	NoIDF bool

	// NoSmoothing uses the factor ln(n/m) + 1.
	NoSmoothing bool

	// Norm is the norm by which rows are divided. The zero value is [L2].
	Norm Norm

	// MaxBytes limits the memory of the vocabulary and, separately, that of the rows. If it is 0, 8 GiB is used.
	MaxBytes int64 `zero:"8 GiB"`

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used. The result does not depend on it.
	Workers int

	fitted *vocabulary
}

// vocabulary holds the fitted terms and factors.
type vocabulary struct {
	documents int
	terms     []string // ascending
	factors   []float64
	columns   map[string]int
}

// termCount counts the occurrences of a term and the documents that contain it.
type termCount struct {
	term             string
	documents, total int
	latest           int // the last document that contains the term
}

// Fit computes the vocabulary of the documents. It returns ErrParam, ErrShape without documents or if no term remains, ErrTooLarge
// above MaxBytes, or the error of ctx.
func (t *TFIDF) Fit(ctx context.Context, documents []string) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	a, err := t.validated()
	if err != nil {
		return err
	}
	if err := checkDocuments(tfidfType, documents); err != nil {
		return err
	}
	counts, err := t.count(ctx, a, documents)
	if err != nil {
		return err
	}
	kept, err := t.prune(counts, len(documents))
	if err != nil {
		return err
	}
	v := &vocabulary{documents: len(documents)}
	for _, c := range kept {
		v.terms, v.factors = append(v.terms, c.term), append(v.factors, t.factor(len(documents), c.documents))
	}
	v.index()
	t.fitted = v
	return nil
}

func (t *TFIDF) validated() (*analyzer, error) {
	if err := settings.Check(tfidfType, t); err != nil {
		return nil, err
	}
	return t.Terms.analyzer()
}

// bytesOfTerm is the memory for a term in addition to its bytes.
const bytesOfTerm = 128

// count returns the counts of the terms in all documents. Chunks of documents are counted in parallel.
func (t *TFIDF) count(ctx context.Context, a *analyzer, documents []string) (map[string]*termCount, error) {
	limit := newBudget(tfidfType, fmt.Sprintf("the terms of %d documents", len(documents)), t.MaxBytes)
	counts := map[string]*termCount{}
	// Chunks are processed in groups, so that the terms of all chunks are never in memory together.
	wave := 4 * parallel.Workers(t.Workers)
	chunks, group := chunkCount(documents), progress.Open(ctx)
	for first := 0; first < chunks; first += wave {
		own := make([]map[string]*termCount, min(wave, chunks-first))
		err := parallel.ForEach(group.Step(first/wave, (chunks+wave-1)/wave), t.Workers, len(own), func(c int) (err error) {
			own[c], err = countChunk(ctx, a, chunkOf(documents, first+c), limit)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, chunk := range own {
			for term, c := range chunk {
				all, ok := counts[term]
				if !ok {
					counts[term] = c
					continue
				}
				limit.taken.Add(-int64(bytesOfTerm + len(term)))
				all.documents, all.total = all.documents+c.documents, all.total+c.total
			}
		}
	}
	return counts, ctx.Err()
}

func countChunk(ctx context.Context, a *analyzer, documents []string, limit *budget) (map[string]*termCount, error) {
	counts := map[string]*termCount{}
	for i, document := range documents {
		err := a.each(document, looking(ctx, func(term []byte) error {
			c, ok := counts[string(term)]
			if !ok {
				if err := limit.take(bytesOfTerm + len(term)); err != nil {
					return err
				}
				c = &termCount{term: string(term), latest: -1}
				counts[c.term] = c
			}
			if c.total++; c.latest != i {
				c.documents, c.latest = c.documents+1, i
			}
			return nil
		}))
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// prune selects the terms of the vocabulary, and returns them in ascending order.
func (t *TFIDF) prune(counts map[string]*termCount, documents int) ([]*termCount, error) {
	n := float64(documents)
	least, most := max(float64(t.MinDocuments), t.MinShare*n), n
	if t.MaxDocuments > 0 {
		most = float64(t.MaxDocuments)
	}
	if t.MaxShare > 0 {
		most = min(most, t.MaxShare*n)
	}
	var kept []*termCount
	for _, c := range counts {
		if m := float64(c.documents); m >= least && m <= most {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil, fault.Shape(fmt.Sprintf("%s: of %d terms in %d documents, the vocabulary has", tfidfType, len(counts), documents), 0,
			"terms", "want at least 1: lower MinDocuments or MinShare, or raise MaxDocuments or MaxShare")
	}
	if t.MaxTerms > 0 && len(kept) > t.MaxTerms {
		slices.SortFunc(kept, func(a, b *termCount) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.term, b.term)) })
		kept = kept[:t.MaxTerms]
	}
	slices.SortFunc(kept, func(a, b *termCount) int { return cmp.Compare(a.term, b.term) })
	return kept, nil
}

// factor returns the factor of a term, where with is the number of documents that contain it.
func (t *TFIDF) factor(documents, with int) float64 {
	switch {
	case t.NoIDF:
		return 1
	case t.NoSmoothing:
		return math.Log(float64(documents)/float64(with)) + 1
	}
	return math.Log(float64(1+documents)/float64(1+with)) + 1
}

func (v *vocabulary) index() {
	v.columns = make(map[string]int, len(v.terms))
	for j, term := range v.terms {
		v.columns[term] = j
	}
}

// Transform returns a row for each document with a column for each term of the vocabulary. It ignores other terms. It returns
// ErrNotFitted, ErrParam, ErrShape without documents, ErrTooLarge above MaxBytes, or the error of ctx.
func (t *TFIDF) Transform(ctx context.Context, documents []string) (_ *sparse.Rows, err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	v := t.fitted
	if v == nil {
		return nil, fault.NotFitted(tfidfType)
	}
	a, err := t.validated()
	if err != nil {
		return nil, err
	}
	return (&vectorizer{typ: tfidfType, d: len(v.terms), limit: t.MaxBytes, workers: t.Workers, analyzer: a,
		column: func(term []byte) (int, float64, bool) {
			j, ok := v.columns[string(term)]
			return j, 1, ok
		},
		finish: func(columns []int, values []float64) {
			for at, j := range columns {
				switch {
				case t.Binary:
					values[at] = 1
				case t.Sublinear:
					values[at] = 1 + math.Log(values[at])
				}
				values[at] *= v.factors[j]
			}
			t.Norm.divide(values)
		},
	}).rows(ctx, documents)
}

// FitTransform is Fit followed by Transform for the same documents.
func (t *TFIDF) FitTransform(ctx context.Context, documents []string) (_ *sparse.Rows, err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	first, rest := progress.Two(ctx, 1, 1)
	next := *t
	if err := next.Fit(first, documents); err != nil {
		return nil, err
	}
	out, err := next.Transform(rest, documents)
	if err != nil {
		return nil, err
	}
	t.fitted = next.fitted
	return out, nil
}

// FeatureNames returns the terms, one for each column. It returns nil before Fit.
func (t *TFIDF) FeatureNames() []string {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.terms)
}

// Vocabulary returns the column of each term. It returns nil before Fit.
func (t *TFIDF) Vocabulary() map[string]int {
	if t.fitted == nil {
		return nil
	}
	return maps.Clone(t.fitted.columns)
}

// IDF returns the factor of each column. It returns nil before Fit.
func (t *TFIDF) IDF() []float64 {
	if t.fitted == nil {
		return nil
	}
	return slices.Clone(t.fitted.factors)
}
