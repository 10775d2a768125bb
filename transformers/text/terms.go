package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// Unit selects the units from which terms are formed.
type Unit int

// The units.
const (
	// Words are runs of two or more letters, digits and underscores. This is the default.
	Words Unit = iota
	// Characters are all characters of a document. Each run of two or more white-space characters counts as one space.
	Characters
	// CharactersOfWords are the characters between white space, with a space before and after them. A sequence of these characters
	// does not extend beyond the white space.
	CharactersOfWords
)

// String returns the name of the unit.
func (u Unit) String() string {
	return enum.Name("Unit", int(u), "Words", "Characters", "CharactersOfWords")
}

// Terms selects the terms of a document. The zero value selects its words in lower case.
type Terms struct {
	// Unit selects the units of a term, which consists of Shortest to Longest consecutive units. Words within a term are separated
	// by a space.
	Unit Unit

	// Shortest is the number of units of the shortest terms. If it is 0, 1 is used.
	Shortest int `zero:"1"`

	// Longest is the number of units of the longest terms. If it is 0, Shortest is used.
	Longest int `zero:"Shortest"`

	// StopWords holds words that are removed before terms are formed from words. They are compared with the words of a document in
	// lower case. With units of characters, StopWords must be empty.
	StopWords []string

	// KeepCase keeps capital letters.
	KeepCase bool
}

// analyzer splits documents into terms.
type analyzer struct {
	unit              Unit
	shortest, longest int
	stopped           map[string]bool
	letter            func(r rune) rune
}

const termsType = "text: Terms"

func (t Terms) analyzer() (*analyzer, error) {
	if err := settings.Check(termsType, &t); err != nil {
		return nil, err
	}
	a := &analyzer{unit: t.Unit, shortest: max(t.Shortest, 1), longest: t.Longest, letter: unicode.ToLower}
	if a.longest == 0 {
		a.longest = a.shortest
	}
	if a.longest < a.shortest {
		return nil, fault.Param(termsType, "Longest", t.Longest, "0, or at least Shortest")
	}
	if t.KeepCase {
		a.letter = func(r rune) rune { return r }
	}
	if len(t.StopWords) > 0 {
		if t.Unit != Words {
			return nil, fault.Param(termsType, "StopWords", t.StopWords, "none with the Unit "+t.Unit.String())
		}
		a.stopped = map[string]bool{}
		for _, w := range t.StopWords {
			a.stopped[w] = true
		}
	}
	return a, nil
}

// each calls f with each term of a document until f returns an error. The function f must not keep the term, whose memory is
// reused.
func (a *analyzer) each(document string, f func(term []byte) error) error {
	document = strings.Map(a.letter, document) // this also replaces bytes that are not UTF-8 with U+FFFD
	switch a.unit {
	case Words:
		return a.sequences(a.words(document), " ", f)
	case Characters:
		return a.sequences(characters(collapse(document)), "", f)
	}
	for _, part := range strings.FieldsFunc(document, isSpace) {
		if err := a.sequencesOfWord(characters(" "+part+" "), f); err != nil {
			return err
		}
	}
	return nil
}

// words returns the words that are not stop words.
func (a *analyzer) words(document string) (out []string) {
	for _, w := range strings.FieldsFunc(document, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if utf8.RuneCountInString(w) > 1 && !a.stopped[w] {
			out = append(out, w)
		}
	}
	return out
}

// sequences calls f with each sequence of Shortest to Longest units.
func (a *analyzer) sequences(units []string, between string, f func(term []byte) error) error {
	var term []byte
	for length := a.shortest; length <= min(a.longest, len(units)); length++ {
		for i := range len(units) - length + 1 {
			term = term[:0]
			for k, u := range units[i : i+length] {
				if k > 0 {
					term = append(term, between...)
				}
				term = append(term, u...)
			}
			if err := f(term); err != nil {
				return err
			}
		}
	}
	return nil
}

// sequencesOfWord calls f with the sequences of characters in a word. A word that is shorter than the length counts once,
// unchanged, as in scikit-learn.
func (a *analyzer) sequencesOfWord(units []string, f func(term []byte) error) error {
	if len(units) > a.shortest {
		own := *a
		own.longest = min(a.longest, len(units))
		return own.sequences(units, "", f)
	}
	return f([]byte(strings.Join(units, "")))
}

// characters returns the characters of a string, which share its memory.
func characters(s string) []string {
	out := make([]string, 0, utf8.RuneCountInString(s))
	for len(s) > 0 {
		_, size := utf8.DecodeRuneInString(s)
		out = append(out, s[:size])
		s = s[size:]
	}
	return out
}

// collapse replaces each run of two or more white-space characters with one space.
func collapse(document string) string {
	var out strings.Builder
	run, last := 0, rune(0)
	end := func() {
		if run == 1 {
			out.WriteRune(last)
		} else if run > 1 {
			out.WriteByte(' ')
		}
		run = 0
	}
	for _, r := range document {
		if isSpace(r) {
			run, last = run+1, r
			continue
		}
		end()
		out.WriteRune(r)
	}
	end()
	return out.String()
}

// isSpace reports whether r is white space in Python, which has four more separators than package unicode.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
