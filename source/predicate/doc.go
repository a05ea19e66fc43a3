// Package predicate decides by the columns of a table which rows are loaded: width >= 256 and lang == 'en'.
//
// The language is that of github.com/expr-lang/expr: comparisons, and, or, not, in, contains, startsWith, endsWith,
// matches, arithmetic, and functions such as len and lower. The function now is missing, since a predicate selects the
// same rows in each run. Values have no methods. [Parse] reads a predicate, [Predicate.Bind] finds its columns in a
// table, and [Filter.Rows] returns the rows.
//
// # Columns
//
// A name is a column, in any case. A dot leads into structures: meta.size. $env['image-id'] is a column whose name is
// not a word. The type of a column is that of all its values: whole numbers, other numbers, text, truth values or
// bytes. A column of lists, structures or values of several types has no type, so that comparisons are checked for each
// row. In CSV and TSV a column is one of numbers if all of its values are numbers as in JSON; 007 is text. Dates and
// times of Parquet are the integers that the file has.
//
// # Missing values
//
// A comparison with a missing value is neither true nor false, as in SQL, and neither is its negation. Predicates join
// such comparisons by Kleene's rules, and keep a row only if they are true: lang != 'en' leaves out rows without lang.
// lang == nil is true for these, and width ?? 0 is 0 where width is missing.
package predicate
