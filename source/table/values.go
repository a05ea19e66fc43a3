package table

import "github.com/spoolmedia/spool/internal/invalid"

// Values are the values of a column that is to be written, as packages arrow and parquet do. One of the functions is
// set, and returns the value of a row. ok is false for a row without a value, and so is an empty text.
type Values struct {
	Name     string
	Integers func(i int) (v int64, ok bool)
	Floats   func(i int) (v float64, ok bool)
	Texts    func(i int) string
	Truths   func(i int) (v, ok bool)
}

// Validate returns an error unless one function is set.
func (v Values) Validate() error {
	set := 0
	for _, there := range []bool{v.Integers != nil, v.Floats != nil, v.Texts != nil, v.Truths != nil} {
		if there {
			set++
		}
	}
	if set != 1 {
		return invalid.Errorf("column %s has %d functions, and needs one", v.Name, set)
	}
	return nil
}
