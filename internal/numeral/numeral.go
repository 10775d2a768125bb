// Package numeral formats numbers for readers: few digits, with thousands separated.
package numeral

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Short formats a number with at most three digits and a leading zero. From 10 000 on it separates thousands. It uses a power of
// ten for numbers below about 0.0001 and from about 10 million on.
func Short(v float64) string { return Digits(v, 3) }

// Digits is [Short] with a given number of digits.
func Digits(v float64, digits int) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case math.IsInf(v, 0) || math.IsNaN(v):
		return strconv.FormatFloat(v, 'g', -1, 64)
	case size < 0.9995e-4 || size >= 0.9995e7:
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		e, _ := strconv.Atoi(exponent)
		return mantissa + "e" + strconv.Itoa(e)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if math.Abs(rounded) >= 1000 { // integers keep all digits
		rounded = math.Round(v)
	}
	return Thousands(strconv.FormatFloat(rounded, 'f', -1, 64))
}

var decimal = regexp.MustCompile(`-?\d*\.\d+(e[-+]?\d+)?|-?\d+e[-+]?\d+`)

// Rounded rounds the numbers in a text, such as a kernel's parameters, to three digits. It leaves integers unchanged.
func Rounded(text string) string {
	return decimal.ReplaceAllStringFunc(text, func(found string) string {
		v, err := strconv.ParseFloat(found, 64)
		if err != nil {
			return found
		}
		return Short(v)
	})
}

// Thousands separates the thousands of a number, from 10 000 on.
func Thousands(number string) string {
	whole, rest, point := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	if len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + " " + whole[i:]
		}
	}
	if point {
		whole += "." + rest
	}
	return sign + whole
}

// Count formats a number with its noun in the singular or plural.
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// OrDash formats a number, or writes a dash for NaN.
func OrDash(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// List formats numbers exactly if they fit on a line. If there are more than eight, it prints the first three, and the first 16
// bytes of the SHA-256 digest of all.
func List[T int | float64](values []T) string {
	if len(values) <= 8 {
		return fmt.Sprint(values)
	}
	digest := sha256.New()
	for _, v := range values {
		// An int is exact as a float64, since it is the index of a column.
		_ = binary.Write(digest, binary.LittleEndian, math.Float64bits(float64(v))) // a digest never fails
	}
	first := strings.TrimSuffix(fmt.Sprint(values[:3]), "]")
	return fmt.Sprintf("%s ... %d in all, sha256 %x]", first, len(values), digest.Sum(nil)[:16])
}
