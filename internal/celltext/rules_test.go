package celltext

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

func parser(t testing.TB, r Rules) *Parser {
	t.Helper()
	p, err := r.Parser("Options")
	require.NoError(t, err)
	return p
}

// Each text has the kind and the value that this table lists.
func TestRules(t *testing.T) {
	gap := math.NaN()
	for _, c := range []struct {
		rules   Rules
		text    string
		kind    Kind
		value   float64
		rounded bool
	}{
		{text: "12", kind: Integer, value: 12}, {text: "-7", kind: Integer, value: -7}, {text: "+3", kind: Integer, value: 3}, {text: "007", kind: Integer, value: 7},
		{text: "1.5", kind: Number, value: 1.5}, {text: ".5", kind: Number, value: .5}, {text: "2.", kind: Number, value: 2}, {text: "1e-3", kind: Number, value: 1e-3},
		{text: "-1.5E+2", kind: Number, value: -150}, {text: "1e-400", kind: Number, value: 0}, {text: "1e400", kind: Number, value: math.Inf(1)}, {text: "-1e400", kind: Number, value: math.Inf(-1)},
		// Go's own notation is not accepted in data.
		{text: "1_1", kind: Word, value: gap}, {text: "0x1p4", kind: Word, value: gap}, {text: "0x10", kind: Word, value: gap}, {text: "inf", kind: Word, value: gap},
		{text: "Infinity", kind: Word, value: gap}, {text: "+Inf", kind: Word, value: gap}, {text: "1e", kind: Word, value: gap}, {text: "e5", kind: Word, value: gap},
		{text: "1e5.5", kind: Word, value: gap}, {text: "+", kind: Word, value: gap}, {text: "1.2.3", kind: Word, value: gap}, {text: "٣", kind: Word, value: gap}, {text: "1e+-5", kind: Word, value: gap},
		// The digits of these integers are or are not reproduced by a float64.
		{text: "9007199254740992", kind: Integer, value: 1 << 53}, {text: "9007199254740993", kind: Integer, value: 1 << 53, rounded: true}, {text: "-9007199254740993", kind: Integer, value: -1 << 53, rounded: true},
		{text: "1234567890123456789", kind: Integer, value: 1234567890123456789, rounded: true}, {text: "123456789012345680000", kind: Integer, value: 123456789012345680000},
		{text: "00000000000000000012", kind: Integer, value: 12}, {text: "0000000000000000000", kind: Integer, value: 0},
		// Gaps.
		{text: "", value: gap}, {text: "NA", value: gap}, {text: "N/A", value: gap}, {text: "n/a", value: gap}, {text: "NaN", value: gap}, {text: "nan", value: gap}, {text: "NULL", value: gap},
		{text: "null", value: gap}, {text: "None", value: gap}, {text: "?", value: gap}, {text: "-", value: gap}, {text: ".", value: gap}, {text: `\N`, value: gap}, {text: "#N/A", value: gap},
		{rules: Rules{Missing: []string{"-999"}}, text: "-999", value: gap}, {rules: Rules{Missing: []string{"-999"}}, text: "NA", kind: Word, value: gap},
		{rules: Rules{Missing: []string{}}, text: "", kind: Word, value: gap},
		// Times.
		{text: "1970-01-02", kind: Time, value: 86400}, {text: "1970-01-01T00:00:01.5Z", kind: Time, value: 1.5}, {text: "1970-01-01 00:01:00", kind: Time, value: 60},
		{text: "1970-01-01T01:00:00+01:00", kind: Time, value: 0}, {text: "1970-01-01T00:00:02", kind: Time, value: 2}, {text: "2023-02-30", kind: Word, value: gap}, {text: "12:30", kind: Word, value: gap},
		{text: "1970-01-01 00:01", kind: Time, value: 60}, {text: "1970-01-01T00:01", kind: Time, value: 60}, {text: "1970-01-01T00:01Z", kind: Time, value: 60},
		{text: "1970-01-01 01:00:00+01:00", kind: Time, value: 0}, {text: "1970-01-01 01:00:00.25+01", kind: Time, value: 0.25}, {text: "1970-01-01 00:00:03-0000", kind: Time, value: 3},
		{text: "1970-01-01 00:00:04 UTC", kind: Time, value: 4}, {text: "1970-01-01 00:00:00,5", kind: Time, value: 0.5}, {text: "1970-01-01 00:00 CET", kind: Word, value: gap},
		{text: "1970-01-01 24:00", kind: Word, value: gap}, {text: "1970-01-01_00:00", kind: Word, value: gap}, {text: "1970-01-01 00:00.5", kind: Word, value: gap},
		{text: "1970-01-01 12", kind: Word, value: gap}, {text: "1970-01-01 00:00:00+1", kind: Word, value: gap}, {text: "1970-01-01 1:05", kind: Time, value: 3900},
		// Numbers in other notations.
		{text: "1,5", kind: Lookalike, value: gap}, {text: "1,234.50", kind: Lookalike, value: gap}, {text: "10%", kind: Lookalike, value: gap}, {text: "1.234.567", kind: Lookalike, value: gap}, {text: "12 000,5", kind: Lookalike, value: gap},
		{rules: Rules{Decimal: ','}, text: "1,5", kind: Number, value: 1.5}, {rules: Rules{Decimal: ','}, text: "1.5", kind: Lookalike, value: gap}, {rules: Rules{Decimal: ','}, text: "12", kind: Integer, value: 12},
		{rules: Rules{Thousands: ','}, text: "1,234.50", kind: Number, value: 1234.5}, {rules: Rules{Thousands: ','}, text: "-12,345,678", kind: Integer, value: -12345678},
		{rules: Rules{Thousands: ','}, text: "1,23", kind: Lookalike, value: gap}, {rules: Rules{Thousands: ','}, text: "1234,567", kind: Lookalike, value: gap}, {rules: Rules{Thousands: ','}, text: ",123", kind: Word, value: gap},
		{rules: Rules{Decimal: ',', Thousands: '.'}, text: "1.234,5", kind: Number, value: 1234.5}, {rules: Rules{Decimal: ',', Thousands: '.'}, text: "1.23", kind: Lookalike, value: gap},
		{rules: Rules{Thousands: ' '}, text: "1\u202f234\u00a0567", kind: Integer, value: 1234567}, {rules: Rules{Thousands: '\''}, text: "1'000", kind: Integer, value: 1000},
		{rules: Rules{Percent: true}, text: "10%", kind: Number, value: .1}, {rules: Rules{Percent: true}, text: "2.5 %", kind: Number, value: .025}, {rules: Rules{Percent: true}, text: "%", kind: Word, value: gap},
		{text: "red", kind: Word, value: gap}, {text: "3 apples", kind: Word, value: gap},
	} {
		p := parser(t, c.rules)
		got := p.Parse(c.text)
		_, other, ok := p.Cell(" " + c.text + "\t")
		assert.True(t, ok)
		assert.Equal(t, got.Kind, other.Kind, c.text)
		place := fmt.Sprintf("%q by %+v", c.text, c.rules)
		assert.Equal(t, c.kind, got.Kind, place)
		assert.Equal(t, c.rounded, got.Rounded, place)
		if math.IsNaN(c.value) {
			assert.True(t, math.IsNaN(got.Value), place)
		} else {
			assert.Equal(t, c.value, got.Value, place)
		}
	}
}

func TestDecimals(t *testing.T) {
	for text, want := range map[string]int{"12": 0, "1.25": 2, "1e-3": 3, "1.5e2": 0, "1.234e1": 2, "1e-300": mostDecimals, "1970-01-01T00:00:01.500Z": 3} {
		assert.Equal(t, want, parser(t, Rules{}).Parse(text).Decimals, text)
	}
}

func TestRulesThatCannotBe(t *testing.T) {
	for field, r := range map[string]Rules{"Decimal": {Decimal: '5'}, "Thousands": {Thousands: '.'}, "Missing": {Missing: []string{"\xe4"}}} {
		_, err := r.Parser("Options")
		require.ErrorIs(t, err, fault.ErrParam)
		assert.ErrorContains(t, err, "Options: "+field)
	}
	_, err := Rules{Thousands: 'e'}.Parser("Options")
	assert.ErrorIs(t, err, fault.ErrParam)
}

// Text accepts UTF-8. With Latin1 it decodes code page 1252.
func TestText(t *testing.T) {
	for _, c := range []struct {
		latin1    bool
		raw, text string
		ok        bool
	}{
		{false, " a b\t", "a b", true}, {false, "jä", "jä", true}, {false, "j\xe4", "", false}, {false, "\xe2\x82", "", false},
		{true, "j\xe4 ", "jä", true}, {true, "5\x80", "5€", true}, {true, "\xa0x", "x", true}, {true, "x", "x", true},
	} {
		text, ok := parser(t, Rules{Latin1: c.latin1}).Text(c.raw)
		assert.Equal(t, c.ok, ok, "%q", c.raw)
		if c.ok {
			assert.Equal(t, c.text, text)
		}
	}
}

// Numbers printed by Go are read back exactly, with all decimal and thousands marks.
func TestCampaignNumbers(t *testing.T) {
	plain, marked := parser(t, Rules{}), parser(t, Rules{Decimal: ',', Thousands: '.'})
	campaign.Run(t, "celltext numbers", 5000, func(rng *rand.Rand) error {
		v := math.Float64frombits(rng.Uint64() &^ (1 << 62))
		if rng.IntN(2) == 0 {
			v = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
		}
		text := strconv.FormatFloat(v, "efg"[rng.IntN(3)], -1, 64)
		c := plain.Parse(text)
		d := marked.Parse(strings.Replace(text, ".", ",", 1))
		if !c.Measured() || c.Rounded || c.Value != v || d.Value != v {
			return fmt.Errorf("%s is %+v, with other marks %+v", text, c, d)
		}
		return nil
	})
}

func TestParseTime(t *testing.T) {
	got, ok := ParseTime("2024-02-29T12:30:00.123456+01:00")
	require.True(t, ok)
	assert.Equal(t, time.Date(2024, 2, 29, 11, 30, 0, 123456000, time.UTC), got.UTC())
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"1,234.5%", "-1e400", "2024-02-29", "\\N", "12 000,5"} {
		f.Add(seed, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, marks uint8) {
		r := Rules{Decimal: rune(".,·"[marks%2]), Percent: marks&4 > 0, Latin1: marks&8 > 0}
		if marks&2 > 0 {
			r.Thousands = ' '
		}
		p := parser(t, r)
		if text, ok := p.Text(text); ok {
			if c := p.Parse(text); c.Measured() {
				_, err := strconv.ParseFloat(p.Digits(text), 64)
				assert.True(t, err == nil || math.IsInf(c.Value, 0), "%q", text)
				assert.False(t, math.IsNaN(c.Value))
			}
		}
	})
}
