package text

import (
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
)

const (
	tfidfKind   = "text.TFIDF"
	hashingKind = "text.Hashing"
	version     = 1
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*TFIDF](tfidfKind, registry.Type{})
	registry.Add[*Hashing](hashingKind, registry.Type{})
	registry.Add[Terms]("text.Terms", registry.Type{})
}

type storedVocabulary struct {
	Documents int
	Terms     []string
	Factors   codec.Floats
}

// MarshalBinary encodes the vocabulary and its factors. It omits the settings.
func (t *TFIDF) MarshalBinary() ([]byte, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(tfidfType)
	}
	return codec.Marshal(tfidfKind, version, storedVocabulary{t.fitted.documents, t.fitted.terms, t.fitted.factors})
}

// UnmarshalBinary decodes the output of MarshalBinary into a TFIDF with the same settings. If it returns ErrBadModel, it leaves t
// unchanged.
func (t *TFIDF) UnmarshalBinary(data []byte) error {
	var s storedVocabulary
	if _, err := codec.Unmarshal(data, tfidfKind, version, &s); err != nil {
		return err
	}
	if len(s.Terms) == 0 || len(s.Factors) != len(s.Terms) || s.Documents < 1 || !s.Factors.Finite() {
		return fault.BadModel(tfidfKind, "%d factors for %d terms of %d documents", len(s.Factors), len(s.Terms), s.Documents)
	}
	for j, term := range s.Terms[1:] {
		if term <= s.Terms[j] {
			return fault.BadModel(tfidfKind, "term %d is out of order", j+1)
		}
	}
	v := &vocabulary{documents: s.Documents, terms: s.Terms, factors: s.Factors}
	v.index()
	t.fitted = v
	return nil
}

// MarshalBinary encodes only the type, because a Hashing has no fitted values. Package modelfile stores the settings.
func (h *Hashing) MarshalBinary() ([]byte, error) {
	return codec.Marshal(hashingKind, version, struct{}{})
}

// UnmarshalBinary checks the output of MarshalBinary. If the output is not valid, it returns ErrBadModel.
func (h *Hashing) UnmarshalBinary(data []byte) error {
	_, err := codec.Unmarshal(data, hashingKind, version, &struct{}{})
	return err
}
