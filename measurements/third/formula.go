package main

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

var (
	examples   = regexp.MustCompile(`(?s)<h3>Examples</h3>\s*<pre>(.*?)</pre>`)
	tag        = regexp.MustCompile(`<[^>]*>`)
	comment    = regexp.MustCompile(`#[^\n]*`)
	identifier = regexp.MustCompile("`[^`]+`|[\\pL.][\\pL\\pN._]*")
)

// arranging lists functions whose formulas have no response, but state how to arrange rows or panels.
var arranging = []string{"acast", "dcast", "cast", "facet_grid", "facet_wrap", "desplot", "ggdesplot", "xtabs", "ftable"}

// targetOf returns the column that is the response of the first model formula in the examples of a help page. Formulas whose
// response names no column or several columns are ignored. It returns "" if no formula is left.
func targetOf(page string, columns []string) string {
	m := examples.FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	code := comment.ReplaceAllString(html.UnescapeString(tag.ReplaceAllString(m[1], "")), "")
	for at := range len(code) {
		if code[at] != '~' || slices.Contains(arranging, caller(code[:at])) {
			continue
		}
		var found []string
		for _, name := range identifier.FindAllString(response(code[:at]), -1) {
			name = strings.Trim(name, "`")
			if slices.Contains(columns, name) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

// response returns the left side of a formula, given the code before its tilde. This is a name, or a call of a function. It returns
// "" for other expressions, such as sums.
func response(before string) string {
	before = strings.TrimRight(before, " \t\n")
	at, depth := len(before), 0
	for at > 0 {
		c := before[at-1]
		switch {
		case c == ')' || c == ']':
			depth++
		case (c == '(' || c == '[') && depth > 0:
			depth--
		case depth > 0:
		case !isName(c):
			rest := strings.TrimRight(before[:at], " \t")
			if rest != "" && !strings.ContainsAny(rest[len(rest)-1:], "(,={\n;") && !strings.HasSuffix(rest, "<-") {
				return "" // an operator
			}
			return before[at:]
		}
		at--
	}
	return before
}

func isName(c byte) bool {
	return c >= 0x80 || c == '.' || c == '_' || c == '$' || c == '`' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// caller returns the name of the function in whose call the code ends, or "".
func caller(code string) string {
	depth := 0
	for at := len(code); at > 0; at-- {
		switch code[at-1] {
		case ')', ']':
			depth++
		case '(', '[':
			if depth--; depth < 0 {
				names := identifier.FindAllString(code[max(0, at-40):at-1], -1)
				if len(names) == 0 {
					return ""
				}
				name := names[len(names)-1]
				if !strings.HasSuffix(code[:at-1], name) {
					return ""
				}
				return name
			}
		}
	}
	return ""
}
