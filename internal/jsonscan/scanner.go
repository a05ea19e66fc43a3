package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// maxDepth is the limit of encoding/json.
const maxDepth = 10000

// Kind is the kind of a value, as its first byte.
type Kind byte

// The kinds of values. None is the end of the input, or a byte that begins no value.
const (
	None   Kind = 0
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n'
)

var kindNames = map[Kind]string{None: "no value", Object: "an object", Array: "an array", String: "a string",
	Number: "a number", True: "true", False: "false", Null: "null"}

// String returns the kind as it is named in errors.
func (k Kind) String() string { return kindNames[k] }

// Error is what is wrong with a value.
type Error struct {
	Path   string // of the value: "boxes[3][1]"; "" for the outermost one
	Offset int    // in bytes
	Text   string
}

// Error returns one line.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s, at byte %d", e.Text, e.Offset)
	}
	return fmt.Sprintf("%s: %s, at byte %d", e.Path, e.Text, e.Offset)
}

// Scanner reads values from memory. After an error its position is undefined.
type Scanner struct {
	data  []byte
	at    int
	depth int
}

// New returns a scanner of one value.
func New(data []byte) *Scanner { return &Scanner{data: data} }

// Offset returns the offset of the next value.
func (s *Scanner) Offset() int {
	s.space()
	return s.at
}

// Errorf returns an error at the next value.
func (s *Scanner) Errorf(format string, args ...any) error {
	return ErrorAt(s.Offset(), format, args...)
}

// ErrorAt returns an error at an offset, for a value that was read before it proved wrong.
func ErrorAt(offset int, format string, args ...any) error {
	return &Error{Offset: offset, Text: fmt.Sprintf(format, args...)}
}

// Next returns the kind of the next value, and does not read it.
func (s *Scanner) Next() Kind {
	s.space()
	if s.at == len(s.data) {
		return None
	}
	switch c := s.data[s.at]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return Kind(c)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Number
	}
	return None
}

// Object reads an object. It calls member with each name, before the value, which member has to read.
func (s *Scanner) Object(member func(name string) error) error {
	if err := s.open(Object); err != nil {
		return err
	}
	for n := 0; !s.accept('}'); n++ {
		if n > 0 && !s.accept(',') {
			return s.Errorf("neither a comma nor the end of the object")
		}
		name, err := s.String()
		if err != nil {
			return err
		}
		if !s.accept(':') {
			return s.Errorf("no colon after a name")
		}
		if err := member(name); err != nil {
			return within(name, err)
		}
	}
	s.depth--
	return nil
}

// Array reads an array. It calls element with each index, before the value, which element has to read.
func (s *Scanner) Array(element func(i int) error) error {
	if err := s.open(Array); err != nil {
		return err
	}
	for n := 0; !s.accept(']'); n++ {
		if n > 0 && !s.accept(',') {
			return s.Errorf("neither a comma nor the end of the array")
		}
		if err := element(n); err != nil {
			return within("["+strconv.Itoa(n)+"]", err)
		}
	}
	s.depth--
	return nil
}

// within adds an element to the path of an error.
func within(element string, err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // as this package returned it
		if e.Path != "" && e.Path[0] != '[' {
			element += "."
		}
		e.Path = element + e.Path
	}
	return err
}

// Float reads a number as a double. It reports whether the number is written without fraction and exponent.
func (s *Scanner) Float() (value float64, whole bool, err error) {
	text, whole, err := s.number()
	if err != nil {
		return 0, false, err
	}
	value, err = strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(value, 0) {
		s.at -= len(text)
		return 0, false, s.Errorf("a number beyond the range of doubles")
	}
	return value, whole, nil
}

// Int reads a whole number. Notations such as 3.0 are whole numbers, too.
func (s *Scanner) Int() (int64, error) {
	text, whole, err := s.number()
	if err != nil {
		return 0, err
	}
	if whole {
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return n, nil
		}
	} else if f, err := strconv.ParseFloat(string(text), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f), nil
	}
	s.at -= len(text)
	return 0, s.Errorf("not a whole number of 64 bits: %.40s", text)
}

// number reads a number's text.
func (s *Scanner) number() (text []byte, whole bool, err error) {
	if err := s.expect(Number); err != nil {
		return nil, false, err
	}
	start, whole := s.at, true
	if s.data[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.data) && s.data[s.at] == '0'
	if n := s.digits(); n == 0 || n > 1 && zero {
		return nil, false, s.Errorf("an invalid number")
	}
	if s.at < len(s.data) && s.data[s.at] == '.' {
		whole = false
		if s.at++; s.digits() == 0 {
			return nil, false, s.Errorf("an invalid number")
		}
	}
	if s.at < len(s.data) && (s.data[s.at] == 'e' || s.data[s.at] == 'E') {
		whole = false
		if s.at++; s.at < len(s.data) && (s.data[s.at] == '+' || s.data[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return nil, false, s.Errorf("an invalid number")
		}
	}
	return s.data[start:s.at], whole, nil
}

func (s *Scanner) digits() (n int) {
	for ; s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9'; n++ {
		s.at++
	}
	return n
}

// Bool reads true or false.
func (s *Scanner) Bool() (bool, error) {
	if s.Next() == True {
		return true, s.word("true")
	}
	if err := s.expect(False); err != nil {
		return false, err
	}
	return false, s.word("false")
}

// Null reads null.
func (s *Scanner) Null() error {
	if err := s.expect(Null); err != nil {
		return err
	}
	return s.word("null")
}

func (s *Scanner) word(w string) error {
	if !bytes.HasPrefix(s.data[s.at:], []byte(w)) {
		return s.Errorf("an invalid value")
	}
	s.at += len(w)
	return nil
}

// String reads a string.
func (s *Scanner) String() (string, error) {
	text, escaped, err := s.quoted()
	if err != nil {
		return "", err
	}
	if !escaped {
		return string(text[1 : len(text)-1]), nil
	}
	var value string
	if err := json.Unmarshal(text, &value); err != nil {
		s.at -= len(text)
		return "", s.Errorf("an invalid string")
	}
	return value, nil
}

// quoted reads a string's text, with its quotes.
func (s *Scanner) quoted() (text []byte, escaped bool, err error) {
	if err := s.expect(String); err != nil {
		return nil, false, err
	}
	start := s.at
	for s.at++; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			return s.data[start:s.at], escaped, nil
		case c == '\\':
			escaped = true
			s.at++
		case c < ' ':
			return nil, false, ErrorAt(s.at, "a control character in a string")
		}
	}
	s.at = start
	return nil, false, s.Errorf("a string without end")
}

// Skip reads a value of any kind.
func (s *Scanner) Skip() error {
	switch s.Next() {
	case Object:
		return s.Object(func(string) error { return s.Skip() })
	case Array:
		return s.Array(func(int) error { return s.Skip() })
	case String:
		_, err := s.String()
		return err
	case Number:
		_, _, err := s.number()
		return err
	case True, False:
		_, err := s.Bool()
		return err
	case Null:
		return s.Null()
	}
	return s.Errorf("no value")
}

// End checks that nothing follows.
func (s *Scanner) End() error {
	if s.space(); s.at != len(s.data) {
		return s.Errorf("bytes after the value")
	}
	return nil
}

func (s *Scanner) expect(k Kind) error {
	if got := s.Next(); got != k {
		return s.Errorf("%v, not %v", got, k)
	}
	return nil
}

// open reads the first byte of an object or an array.
func (s *Scanner) open(k Kind) error {
	if err := s.expect(k); err != nil {
		return err
	}
	if s.depth++; s.depth > maxDepth {
		return s.Errorf("nested more than %d deep", maxDepth)
	}
	s.at++
	return nil
}

func (s *Scanner) accept(c byte) bool {
	if s.space(); s.at == len(s.data) || s.data[s.at] != c {
		return false
	}
	s.at++
	return true
}

func (s *Scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}
