package annotation

import (
	"math"

	"github.com/spoolmedia/spool/internal/jsonscan"
)

// numbers collects coordinates.
type numbers struct {
	values     []float32
	fractional bool // one has a fraction or an exponent, as it is written
}

// read reads one number.
func (n *numbers) read(s *jsonscan.Scanner) error {
	at := s.Offset()
	value, whole, err := s.Float()
	if err != nil {
		return err
	}
	if !n.add(value) {
		return jsonscan.ErrorAt(at, "a number beyond single precision")
	}
	n.fractional = n.fractional || !whole
	return nil
}

// add adds a number. It returns false if the number is not finite in single precision.
func (n *numbers) add(value float64) bool {
	v := float32(value)
	n.values = append(n.values, v)
	return !math.IsInf(float64(v), 0) && !math.IsNaN(value)
}

// tuple reads an array of numbers, and returns how many it has: between least and most.
func (n *numbers) tuple(s *jsonscan.Scanner, least, most int) (count int, err error) {
	at := s.Offset()
	err = s.Array(func(i int) error {
		if count = i + 1; count > most {
			return s.Errorf("more than %d numbers", most)
		}
		return n.read(s)
	})
	if err == nil && count < least {
		err = jsonscan.ErrorAt(at, "fewer than %d numbers", least)
	}
	return count, err
}
