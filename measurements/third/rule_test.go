package main

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTargetOf(t *testing.T) {
	columns := []string{"wage", "age", "log.wage", "region"}
	for code, want := range map[string]string{
		"fit &lt;- lm(log(wage) ~ age, data = d)":          "wage",
		"f &lt;- log.wage ~ age":                           "log.wage",
		"plot(~ age)\nglm(I(wage &gt; 3) ~ age)":           "wage",
		"dcast(d, region ~ age); xtabs(age ~ region)":      "",
		"# lm(wage ~ age)\nboxplot(d$age ~ d$region)":      "age",
		"lm(cbind(wage, age) ~ region); lm(wage ~ region)": "wage",
		"lm(wage/age ~ region)":                            "",
		"lm(formula = `wage` ~ region)":                    "wage",
		"lm(salary ~ age)":                                 "",
		"aov(wage ~ Error(age)); lm(age ~ wage)":           "wage",
	} {
		assert.Equal(t, want, targetOf("<h3>Examples</h3>\n\n<pre><code class='language-R'>"+code+"</code></pre>", columns), code)
	}
	assert.Empty(t, targetOf("<h3>Description</h3><pre>lm(wage ~ age)</pre>", columns), "no examples")
}

// frameWith returns a frame of n rows. Column y is the target. The other columns are filled by the functions.
func frameWith(n int, y func(i int) string, columns ...func(i int) string) frame {
	f := frame{names: []string{"y"}}
	for j := range columns {
		f.names = append(f.names, "x"+strconv.Itoa(j))
	}
	for i := range n {
		row := []string{y(i)}
		for _, cell := range columns {
			row = append(row, cell(i))
		}
		f.rows = append(f.rows, row)
	}
	return f
}

func modulo(m int) func(int) string { return func(i int) string { return strconv.Itoa(i * 7919 % m) } }

func TestFeatures(t *testing.T) {
	y := modulo(1009)
	f := frameWith(1000, y, modulo(3), modulo(5), modulo(7), modulo(11),
		func(int) string { return "1" },
		func(i int) string { return strconv.Itoa(i + 5) },
		func(i int) string { v, _ := strconv.Atoi(y(i)); return strconv.Itoa(-v * v * v) },
		func(i int) string { return "k" + y(i) })
	out, reason := f.features("y")
	assert.Empty(t, reason)
	assert.Equal(t, []string{"x0", "x1", "x2", "x3", "y"}, out.names,
		"without the constant, the number of the row, the cube of the target, and the target in words")

	for want, f := range map[string]frame{
		"999 rows with a target": frameWith(1000, func(i int) string {
			if i == 5 {
				return ""
			}
			return y(i)
		}, modulo(3), modulo(5), modulo(7), modulo(11)),
		"3 columns":               frameWith(1000, y, modulo(3), modulo(5), modulo(7)),
		"one value of the target": frameWith(1000, func(int) string { return "a" }, modulo(3), modulo(5), modulo(7), modulo(11)),
		"31 classes": frameWith(1000, func(i int) string { return "c" + strconv.Itoa(i%31) }, modulo(3), modulo(5), modulo(7),
			modulo(11)),
	} {
		_, reason := f.features("y")
		assert.Equal(t, want, reason)
	}
	small := frameWith(1040, func(i int) string { return "c" + strconv.Itoa(min(i/10, 2)) }, modulo(3), modulo(5), modulo(7), modulo(11))
	_, reason = small.features("y")
	assert.Equal(t, "one value of the target", reason, "two classes have fewer than 20 rows")
}

func TestIsClass(t *testing.T) {
	assert.True(t, isClass([]string{"a", "1"}))
	assert.True(t, isClass([]string{"0", "1", "0"}))
	assert.False(t, isClass([]string{"0", "1", "2"}))
}

// Large sets with gaps come before other large sets, then the quotas are filled in the order of the hashes.
func TestChoose(t *testing.T) {
	row := []string{"1", "2"}
	var found []candidate
	add := func(name string, rows int, gap bool, class string) {
		f := frame{names: []string{"x", "y"}}
		for i := range rows {
			f.rows = append(f.rows, []string{row[0], class + strconv.Itoa(i%3)})
		}
		if gap {
			f.rows[0] = []string{"", f.rows[0][1]}
		}
		found = append(found, candidate{name: name, frame: f})
	}
	for i := range 20 {
		add("large"+strconv.Itoa(i), manyRows+1, i == 7, "")
		add("gaps"+strconv.Itoa(i), 1000, true, "")
		add("words"+strconv.Itoa(i), 1000, false, "c")
		add("plain"+strconv.Itoa(i), 1000, false, "")
	}
	found = append(found, candidate{name: "left out", reason: "3 columns"})
	choose(found)
	n := map[string]int{}
	for _, c := range found {
		if c.chosen {
			n[c.name[:4]]++
		}
		if c.name == "large7" {
			assert.True(t, c.chosen)
		}
	}
	assert.Equal(t, map[string]int{"larg": large, "gaps": gappy - 1, "word": classes}, n)
}
