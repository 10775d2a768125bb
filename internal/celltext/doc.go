// Package celltext turns the text of tables into cells. It holds the one table of rules that every reader of text in this
// module follows: those of adapters/table, which golearn's grids and adapters/arrow use, and adapters/beam.
//
// White space around a cell is dropped. What is left is the first of these that fits:
//
//	kind       what it is                                          examples
//	Gap        an entry of Rules.Missing                           "", NA, N/A, n/a, NaN, nan, NULL, null, None, ?, -, ., \N, #N/A
//	Integer    decimal digits with an optional sign                12, -7, +3, 007
//	Number     a decimal number with an optional exponent          1.5, .5, 2., 1e-3, 1e400
//	Time       an ISO date, or a date and time (UTC if no zone)    2024-02-29, 2024-02-29T12:30:00+01:00, 2024-02-29 12:30:00
//	Lookalike  a number by marks that the rules do not have        1,5  1,234.50  10%
//	Word       anything else                                       red, 1_1, 0x1p4, inf, 12:30, 1.2.3
//
// Rules.Decimal, Thousands and Percent make numbers of lookalikes. A number beyond the largest float64 is a number with an
// infinite value, and an integer whose digits a float64 does not give back is Rounded: readers refuse both, since a column of
// numbers stays one.
//
// A [Column] counts the kinds of a column's cells and says what the column is: numbers, times or texts. A column that is
// nearly all numbers, or times, and has a few other words, is a fault.MixedColumnError with these words and their lines.
//
// [Open] reads the records of a CSV file. It drops a byte order mark, takes carriage returns alone for line ends if the first
// line ends with one, refuses UTF-16 and text that is not UTF-8 by name and line (or reads Latin-1), drops columns at the end
// that have neither a name nor cells, and checks the first line before it is held in memory.
package celltext
