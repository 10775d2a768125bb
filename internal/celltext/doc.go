// Package celltext turns the text of tables into cells. Every text reader of this module follows its rules: adapters/table, which
// golearn's grids and adapters/arrow use, and adapters/beam.
//
// White space around a cell is dropped. A cell has the first kind that matches:
//
//	kind       meaning                                             examples
//	Gap        an entry of Rules.Missing                           "", NA, N/A, n/a, NaN, nan, NULL, null, None, ?, -, ., \N, #N/A
//	Integer    decimal digits with an optional sign                12, -7, +3, 007
//	Number     a decimal number with an optional exponent          1.5, .5, 2., 1e-3, 1e400
//	Time       an ISO date, or a date and time (UTC if no zone)    2024-02-29, 2024-02-29T12:30:00+01:00, 2024-02-29 12:30
//	Lookalike  a number with marks that the rules do not allow     1,5  1,234.50  10%
//	Word       anything else                                       red, 1_1, 0x1p4, inf, 12:30, 1.2.3
//
// Rules.Decimal, Thousands and Percent turn lookalikes into numbers. A number beyond the largest float64 is a number with an
// infinite value. An integer whose digits a float64 cannot reproduce is Rounded. Readers reject both, because otherwise a column of
// numbers would become words.
//
// A [Column] counts the kinds of its cells and decides whether it holds numbers, times or texts. A column that is nearly all
// numbers, or times, with a few other words, is a fault.MixedColumnError that lists these words and their lines.
//
// [Open] reads the records of a CSV file. It drops a byte order mark. If the first line ends with a carriage return alone, carriage
// returns are line ends. It rejects UTF-16, and text that is not UTF-8 unless it reads Latin-1. The error names the file and the
// line. It drops columns at the end that have neither a name nor cells, and checks the width of the first line before it holds it
// in memory.
package celltext
