package object

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoolmedia/spool/source"
)

// places guesses up to most names that part what lies between the last object of a page, which came behind after, and until, unless
// that is empty, or else the end of what begins with prefix: nearest to the page are parts of a little less than its number of
// objects, so that one answer has all of such a part and shows that it is all. Where these would be too many, each is wider than
// the one before it by the same factor, since the least is known of what is farthest away.
func places(page []source.Entry, prefix, after, until string, most int) []string {
	s := newScale(page, prefix, until)
	if s == nil {
		return nil
	}
	last := page[len(page)-1].Address
	low, high := s.number(last), 1.0
	if strings.HasPrefix(until, s.shared) {
		high = s.number(until)
	}
	width := s.width
	if after != "" && strings.HasPrefix(after, s.shared) { // what is empty before the page is likely to be so behind it
		width = low - s.number(after)
	}
	width = max(width*full, finest)
	n := min(most, int(math.Ceil((high-low)/width))-1)
	if n < 1 {
		return nil
	}
	var found []string
	at, wider := low, factor((high-low)/width, n)
	for range n {
		at += width
		width *= wider
		place := s.name(at, width/8)
		if place > last && (until == "" || place < until) {
			found = append(found, place)
			last = place
		}
	}
	return found
}

const (
	full   = 0.9   // of a page
	finest = 1e-15 // of what floating point tells apart
)

// factor is what n+1 parts have to widen by, from one to the next, to be sum times as wide as the first of them.
func factor(sum float64, n int) float64 {
	low, high := 1.0, sum
	for range 50 {
		f := math.Sqrt(low * high)
		if (math.Pow(f, float64(n+1))-1)/(f-1) < sum {
			low = f
		} else {
			high = f
		}
	}
	return low
}

// scale reads the names that begin like shared as numbers from 0 to 1, in the same order. Digits are the characters that the
// names of a page have at the same place: as long as names go on like these, numbers are as dense as there.
type scale struct {
	shared string
	digits []string // behind shared, sorted: those of the first place, of the second, and so on
	width  float64  // of a page
}

const (
	mostDigits = 24  // more make no difference to a float64, unless there is but one of each
	sample     = 200 // names of a page, about, that are looked at
)

// newScale makes the scale of what lies behind a page, up to until. It is nil where there is no room for a name.
func newScale(page []source.Entry, prefix, until string) *scale {
	last := page[len(page)-1].Address
	n := len(prefix)
	if until != "" {
		for n = 0; n < min(len(last), len(until)) && last[n] == until[n]; n++ {
		}
	}
	for n < len(last) && last[n] >= highest {
		n++
	}
	if n > len(last) || !utf8.ValidString(last[:n]) { // there are servers that take whole characters only
		return nil
	}
	s := &scale{shared: last[:n]}
	first := slices.IndexFunc(page, func(e source.Entry) bool { return strings.HasPrefix(e.Address, s.shared) })
	var seen [mostDigits][utf8.RuneSelf]bool
	for k := len(page) - 1; k >= first; k -= len(page)/sample + 1 {
		key := page[k].Address
		for i := n; i < min(n+mostDigits, len(key)); i++ {
			if key[i] < utf8.RuneSelf {
				seen[i-n][key[i]] = true
			}
		}
	}
	for i := range seen {
		digits := likely(&seen[i], i == 0)
		if digits == "" {
			break
		}
		s.digits = append(s.digits, digits)
	}
	s.width = (s.number(last) - s.number(page[first].Address)) * float64(len(page)) / float64(len(page)-first)
	return s
}

// highest is behind all characters that names are likely to have.
const highest = '~'

// likely gives those characters that are likely where some were seen: with a digit all of them. At the first place
// there may be anything, of which other kinds of characters than were seen get one place each.
func likely(seen *[utf8.RuneSelf]bool, first bool) string {
	for _, kind := range []string{"09", "AF", "AZ", "af", "az"} { // hexadecimal numbers, or else names
		of := seen[kind[0] : kind[1]+1]
		if slices.Contains(of, true) && (first || kind == "09") {
			for i := range of {
				of[i] = true
			}
		}
	}
	for _, c := range []byte{'0', 'A', 'a', highest} {
		seen[c] = seen[c] || first
	}
	var digits []byte
	for c := byte(' '); c <= highest; c++ {
		if seen[c] {
			digits = append(digits, c)
		}
	}
	return string(digits)
}

// number is where a name lies, 0 for those that do not begin like shared.
func (s *scale) number(name string) float64 {
	rest, found := strings.CutPrefix(name, s.shared)
	if !found {
		return 0
	}
	v, unit := 0.0, 1.0
	for i := range min(len(rest), len(s.digits)) {
		unit /= float64(len(s.digits[i]))
		digit := strings.IndexFunc(s.digits[i], func(c rune) bool { return c >= rune(rest[i]) })
		if digit < 0 {
			return v + unit*float64(len(s.digits[i]))
		}
		v += unit * float64(digit)
		if s.digits[i][digit] != rest[i] {
			break
		}
	}
	return v
}

// name is a name that lies not far below a number: by less than fine, as far as there are digits.
func (s *scale) name(v, fine float64) string {
	name, unit := []byte(s.shared), 1.0
	for _, digits := range s.digits {
		if unit < fine {
			break
		}
		unit /= float64(len(digits))
		digit := min(max(int(v/unit), 0), len(digits)-1)
		v -= unit * float64(digit)
		name = append(name, digits[digit])
	}
	return string(name)
}
