package celltext

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Missing returns the default list of cells that are gaps.
func Missing() []string {
	return []string{"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", "-", ".", `\N`, "#N/A"}
}

// Rules describes the notation of cells.
type Rules struct {
	Missing   []string // cells that are gaps; nil: [Missing]
	Decimal   rune     // the decimal mark; 0: '.'
	Thousands rune     // separates groups of three digits; 0: none
	Percent   bool     // whether 10% is read as 0.1
	Latin1    bool     // whether bytes are Latin-1 (Windows code page 1252) rather than UTF-8
}

// Kind classifies a cell.
type Kind uint8

// The kinds, in the order of the package's table.
const (
	Gap Kind = iota
	Integer
	Number
	Time
	Lookalike
	Word
)

// Cell is a parsed text.
type Cell struct {
	Kind     Kind
	Value    float64 // the number, or for a time seconds since 1970; otherwise NaN
	Decimals int     // number of decimals with which the number is printed as it was written
	Rounded  bool    // whether Value does not reproduce the digits of an integer
}

// Measured reports whether the cell is a number.
func (c Cell) Measured() bool { return c.Kind == Integer || c.Kind == Number }

// Parser parses cells. It is safe for concurrent use.
type Parser struct {
	rules   Rules
	missing map[string]bool
	early   bool // gaps are recognised first, because an entry of Missing may be a number
	marked  bool // numbers have other marks than Go's
}

// Parser checks the rules and returns a Parser for them. An ErrParam error names typ, the type that has these fields.
func (r Rules) Parser(typ string) (*Parser, error) {
	if r.Missing == nil {
		r.Missing = Missing()
	}
	if r.Decimal == 0 {
		r.Decimal = '.'
	}
	if strings.ContainsRune("+-eE%\"\n\r", r.Decimal) || isDigit(r.Decimal) {
		return nil, fault.Param(typ, "Decimal", strconv.QuoteRune(r.Decimal), "a mark such as '.' or ','")
	}
	if strings.ContainsRune("+-eE%\"\n\r", r.Thousands) || isDigit(r.Thousands) || r.Thousands == r.Decimal {
		return nil, fault.Param(typ, "Thousands", strconv.QuoteRune(r.Thousands),
			"a mark other than Decimal, such as ',', '.', ' ' or '\\''")
	}
	p := &Parser{rules: r, missing: make(map[string]bool, len(r.Missing)), marked: r.Decimal != '.' || r.Thousands != 0 || r.Percent}
	for _, m := range r.Missing {
		if !utf8.ValidString(m) {
			return nil, fault.Param(typ, "Missing", strconv.Quote(m), "UTF-8")
		}
		m = strings.TrimSpace(m)
		p.missing[m] = true
		p.early = p.early || strings.ContainsFunc(m, isDigit)
	}
	return p, nil
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// Text decodes a cell and drops the white space around it. It returns false for bytes outside the encoding.
func (p *Parser) Text(raw string) (string, bool) {
	if isASCII(raw) {
		if raw != "" && raw[0] > ' ' && raw[len(raw)-1] > ' ' { // the common case
			return raw, true
		}
		return strings.TrimSpace(raw), true
	}
	if !p.rules.Latin1 {
		return strings.TrimSpace(raw), utf8.ValidString(raw)
	}
	text, err := charmap.Windows1252.NewDecoder().String(raw)
	return strings.TrimSpace(text), err == nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Parse classifies a text that [Parser.Text] returned.
func (p *Parser) Parse(text string) Cell {
	if p.early && p.missing[text] {
		return Cell{Kind: Gap, Value: math.NaN()}
	}
	if c, ok := p.number(text); ok {
		return c
	}
	if p.missing[text] {
		return Cell{Kind: Gap, Value: math.NaN()}
	}
	if t, ok := ParseTime(text); ok {
		return Cell{Kind: Time, Value: float64(t.Unix()) + float64(t.Nanosecond())/1e9, Decimals: fraction(text)}
	}
	if looksNumeric(text) {
		return Cell{Kind: Lookalike, Value: math.NaN()}
	}
	return Cell{Kind: Word, Value: math.NaN()}
}

// Cell calls [Parser.Text] and [Parser.Parse].
func (p *Parser) Cell(raw string) (text string, c Cell, ok bool) {
	if !p.early && !p.marked { // a number is ASCII, without white space around it
		if c, ok := p.number(raw); ok {
			return raw, c, true
		}
	}
	if text, ok = p.Text(raw); ok {
		c = p.Parse(text)
	}
	return text, c, ok
}

// Digits returns a number in Go's notation.
func (p *Parser) Digits(text string) string {
	if !p.marked {
		return text
	}
	plain, _ := p.goNotation(text)
	return plain
}

// number parses a number.
func (p *Parser) number(text string) (Cell, bool) {
	if p.marked {
		var ok bool
		if text, ok = p.goNotation(text); !ok {
			return Cell{}, false
		}
	}
	integer, decimals, ok := scan(text)
	if !ok {
		return Cell{}, false
	}
	if integer && len(text) <= exactDigits {
		return Cell{Kind: Integer, Value: parseShort(text)}, true
	}
	v, _ := strconv.ParseFloat(text, 64) // ParseFloat returns an infinity if the number is too large
	if !integer {
		return Cell{Kind: Number, Value: v, Decimals: decimals}, true
	}
	return Cell{Kind: Integer, Value: v, Rounded: !keepsDigits(text, v)}, true
}

// exactDigits is the number of digits that survive a round trip through float64.
const exactDigits = 15

// parseShort parses an integer with few digits, faster than strconv does.
func parseShort(text string) (v float64) {
	digits := strings.TrimLeft(text, "+-")
	n := int64(0)
	for i := range len(digits) {
		n = 10*n + int64(digits[i]-'0')
	}
	if v = float64(n); text[0] == '-' {
		v = -v // also for -0
	}
	return v
}

// mostDecimals is the largest number of decimals that is needed to distinguish float64 values.
const mostDecimals = 17

// scan reports whether a text is a decimal number, whether it is an integer, and how many decimals it has.
func scan(s string) (integer bool, decimals int, ok bool) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	whole := countDigits(s)
	rest := s[whole:]
	part := 0
	if rest != "" && rest[0] == '.' {
		part = countDigits(rest[1:])
		rest = rest[1+part:]
		if whole+part == 0 {
			return false, 0, false
		}
	} else if whole == 0 {
		return false, 0, false
	} else if rest == "" {
		return true, 0, true
	}
	exponent := 0
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return false, 0, false
		}
		power := strings.TrimPrefix(strings.TrimPrefix(rest[1:], "+"), "-")
		if len(rest)-len(power) > 2 || power == "" || countDigits(power) != len(power) {
			return false, 0, false
		}
		exponent, _ = strconv.Atoi(rest[1:])
	}
	return false, min(max(part-exponent, 0), mostDecimals), true
}

// countDigits counts the leading digits of s.
func countDigits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}

// keepsDigits reports whether v is printed with the digits of text, which is an integer.
func keepsDigits(text string, v float64) bool {
	text = strings.TrimLeft(text, "+-")
	if len(text) <= exactDigits {
		return true
	}
	if text = strings.TrimLeft(text, "0"); text == "" {
		return true
	}
	return math.IsInf(v, 0) || strconv.FormatFloat(math.Abs(v), 'f', -1, 64) == text
}

// spaces may separate thousands if Thousands is a space.
const spaces = " \u00a0\u202f"

// goNotation returns a number in Go's notation. It returns false for marks outside the rules and for misplaced thousands marks.
func (p *Parser) goNotation(text string) (string, bool) {
	percent := false
	if p.rules.Percent {
		text, percent = strings.CutSuffix(text, "%")
		text = strings.TrimRight(text, spaces)
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i:]
	}
	whole, part, pointed := strings.Cut(mantissa, string(p.rules.Decimal))
	if pointed && (countDigits(part) != len(part)) {
		return "", false
	}
	whole, ok := p.withoutThousands(whole)
	if !ok || percent && exponent != "" {
		return "", false
	}
	if pointed {
		whole += "." + part
	}
	if percent {
		exponent = "e-2" // rounds the number once
	}
	return whole + exponent, true
}

// withoutThousands removes the thousands marks from the integer part of a number.
func (p *Parser) withoutThousands(s string) (string, bool) {
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	isMark := func(r rune) bool {
		return r == p.rules.Thousands && r != 0 || strings.ContainsRune(spaces, p.rules.Thousands) && strings.ContainsRune(spaces, r)
	}
	groups := strings.FieldsFunc(s, isMark)
	if len(groups) < 2 {
		return sign + s, countDigits(s) == len(s)
	}
	marks := 0
	for _, r := range s {
		if isMark(r) {
			marks++
		}
	}
	for i, g := range groups {
		if countDigits(g) != len(g) || len(g) > 3 || i > 0 && len(g) != 3 || marks != len(groups)-1 {
			return "", false
		}
	}
	return sign + strings.Join(groups, ""), true
}

// ParseTime parses an ISO date, or a date and a time of day as the package's table describes.
func ParseTime(text string) (time.Time, bool) {
	const day = len(time.DateOnly)
	if len(text) < day || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	layout := time.DateOnly
	if len(text) > day {
		var ok bool
		if layout, ok = clockLayout(text[day:]); !ok {
			return time.Time{}, false
		}
	}
	t, err := time.Parse(layout, text)
	return t, err == nil
}

// clockLayout returns the layout of a date and of the given time of day, which starts with the mark that separates them.
func clockLayout(text string) (string, bool) {
	if text[0] != 'T' && text[0] != ' ' {
		return "", false
	}
	zone := strings.TrimLeft(text[1:], "0123456789:.,")
	layout := time.DateOnly + text[:1] + "15:04"
	if strings.Count(text[:len(text)-len(zone)], ":") > 1 {
		layout += ":05" // a fraction may follow
	}
	switch {
	case zone == "" || zone == " UTC":
		return layout + zone, true
	case len(zone) == len("+01"):
		return layout + "Z07", true
	case len(zone) == len("+0100"):
		return layout + "Z0700", true
	}
	return layout + "Z07:00", true
}

// fraction returns the number of digits in the fraction of a second of a time.
func fraction(text string) int {
	i := strings.IndexAny(text, ".,")
	if i < 0 {
		return 0
	}
	return min(countDigits(text[i+1:]), 9)
}

// otherNotation matches a number in any common notation.
var otherNotation = regexp.MustCompile(`^[-+]?(\d+|\d{1,3}([.,' \x{a0}\x{202f}]\d{3})+)([.,]\d+)?([eE][-+]?\d+)?\s?%?$`)

// looksNumeric reports whether a text is a number in another notation.
func looksNumeric(text string) bool {
	first := strings.TrimLeft(text, "+-")
	return first != "" && isDigit(rune(first[0])) && otherNotation.MatchString(text)
}
