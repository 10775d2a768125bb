package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTableShowsEveryTypeAgainstEveryCheck(t *testing.T) {
	table := &Table{}
	table.Add("p.Sound", "first", Verdict{})
	table.Add("p.Sound", "second", Verdict{Skipped: "has no rows"})
	table.Add("p.Unsound", "first", Verdict{Failures: []string{"it is broken"}})
	table.Add("p.Unsound", "second", Verdict{Skipped: "has no rows"})
	assert.Equal(t, []string{"p.Sound", "p.Unsound"}, table.Types())
	_, ran := table.Outcome("p.Sound", "third")
	assert.False(t, ran)

	assert.Equal(t, `type         1    2    3
p.Sound   pass  (a)    .
p.Unsound FAIL  (a)    .

checks
   1 first
   2 second
   3 third

skipped, because the type
 (a) has no rows
`, table.Render([]string{"first", "second", "third"}), "a reason is explained once")
}

func TestReasonsAreLettered(t *testing.T) {
	assert.Equal(t, "a z aa az ba", strings.Join([]string{letters(0), letters(25), letters(26), letters(51), letters(52)}, " "))
}

func TestValidSkips(t *testing.T) {
	checks := []string{"learns", "labels"}
	assert.Empty(t, ValidSkips(map[string]string{"learns": "is a stub"}, checks))
	assert.Contains(t, ValidSkips(map[string]string{"lerns": "is a stub"}, checks), "does not exist: lerns")
	assert.Contains(t, ValidSkips(map[string]string{"learns": ""}, checks), "no reason for learns")
}

func TestJudge(t *testing.T) {
	after := false
	for name, c := range map[string]struct {
		check func(p *Probe)
		want  Verdict
	}{
		"passes":   {func(*Probe) {}, Verdict{}},
		"goes on":  {func(p *Probe) { p.Errorf("one"); p.Errorf("%d", 2) }, Verdict{Failures: []string{"one", "2"}}},
		"ends":     {func(p *Probe) { p.Fatalf("one"); after = true }, Verdict{Failures: []string{"one"}}},
		"skips":    {func(p *Probe) { p.Skip("is small"); after = true }, Verdict{Skipped: "is small"}},
		"must":     {func(p *Probe) { p.Must("Fit", nil); p.Must("Fit", errors.New("no")); after = true }, Verdict{Failures: []string{"Fit: no"}}},
		"left out": {func(_ *Probe) { after = true }, Verdict{Skipped: "is slow"}},
	} {
		assert.Equal(t, c.want, Judge(map[string]string{"left out": "is slow"}, name, c.check), name)
	}
	assert.False(t, after)
	v := Judge(nil, "panics", func(*Probe) { panic("oh") })
	assert.True(t, v.Failed())
	assert.Contains(t, v.Failures[0], "panic: oh")
}
