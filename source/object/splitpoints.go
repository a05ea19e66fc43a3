package object

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoolmedia/spool/source"
)

// splitPoints guesses up to most names that split the names after a page into parts. The last part ends at until, or at
// the last name with prefix if until is empty. after is the name after which the page was requested.
//
// A part near the page has a little fewer objects than the page. So one answer contains the whole part, and shows that
// it is complete. If that takes too many parts, each part is wider than the previous part by the same factor: the
// farther from the page, the less is known of the names.
func splitPoints(page []source.Entry, prefix, after, until string, most int) []string {
	s := newScale(page, prefix, until)
	if s == nil {
		return nil
	}
	last := page[len(page)-1].URL
	low, high := s.number(last), 1.0
	if strings.HasPrefix(until, s.shared) {
		high = s.number(until)
	}
	width := s.width
	if after != "" && strings.HasPrefix(after, s.shared) { // a gap before the page is likely to be repeated after it
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
	full   = 0.9   // share of a page that a part should fill
	finest = 1e-15 // width of the smallest part that float64 resolves
)

// factor returns the ratio of the widths of consecutive parts. With it, n+1 parts are together sum times as wide as the
// first.
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

// scale maps the names that begin with shared to numbers from 0 to 1, in the same order. The digits of a position are
// the characters that the names of a page have there. If later names have the same characters, their numbers are as
// dense as those of the page.
type scale struct {
	shared string
	digits []string // after shared, sorted: those of the first position, of the second, and so on
	width  float64  // of a page
}

const (
	mostDigits = 24  // more make no difference to a float64, unless positions have a single digit
	sample     = 200 // approximate number of names of a page that are examined
)

// newScale returns the scale of the names after a page, up to until. It is nil if there is no room for a name.
func newScale(page []source.Entry, prefix, until string) *scale {
	last := page[len(page)-1].URL
	n := len(prefix)
	if until != "" {
		for n = 0; n < min(len(last), len(until)) && last[n] == until[n]; n++ {
		}
	}
	for n < len(last) && last[n] >= highest {
		n++
	}
	if n > len(last) || !utf8.ValidString(last[:n]) { // some servers accept whole characters only
		return nil
	}
	s := &scale{shared: last[:n]}
	first := slices.IndexFunc(page, func(e source.Entry) bool { return strings.HasPrefix(e.URL, s.shared) })
	var seen [mostDigits][utf8.RuneSelf]bool
	for k := len(page) - 1; k >= first; k -= len(page)/sample + 1 {
		key := page[k].URL
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
	s.width = (s.number(last) - s.number(page[first].URL)) * float64(len(page)) / float64(len(page)-first)
	return s
}

// highest sorts after all characters that names are likely to have.
const highest = '~'

// likely returns the characters that are likely at a position. If a digit was seen, all digits are likely. The first
// position may have any character, so each kind of characters that was not seen gets one.
func likely(seen *[utf8.RuneSelf]bool, first bool) string {
	for _, kind := range []string{"09", "AF", "AZ", "af", "az"} { // hexadecimal numbers, or names
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

// number returns the position of a name. It is 0 for names that do not begin with shared.
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

// name returns the name of a number, rounded down: by less than fine, unless the scale has too few digits.
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
