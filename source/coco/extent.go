package coco

import "bytes"

// extent finds the end of a value, in data that come in parts. It knows strings and brackets, and does not check more.
type extent struct {
	kind    kind
	depth   int  // of brackets
	quoted  bool // within a string
	escaped bool // the last byte of the string was a backslash
	done    bool
}

// kind is the kind of a value, by its first byte.
type kind uint8

const (
	unknown   kind = iota // no byte was read
	scalar                // a number or a word, which ends before a delimiter
	quotation             // a string, which ends with its quote
	nested                // an object or an array, which ends with its last bracket
)

// advance reads up to the end of the value, or of data, and returns the number of bytes.
func (e *extent) advance(data []byte) int {
	i := 0
	if e.kind == unknown && len(data) > 0 {
		switch c := data[0]; {
		case c == '"':
			e.kind, e.quoted, i = quotation, true, 1
		case c == '[' || c == '{':
			e.kind, e.depth, i = nested, 1, 1
		default:
			e.kind = scalar
		}
	}
	if e.kind == scalar {
		n := bytes.IndexAny(data, ",:]} \n\r\t")
		if e.done = n >= 0; e.done {
			return n
		}
		return len(data)
	}
	for i < len(data) {
		if e.quoted {
			if i += e.quote(data[i:]); e.kind == quotation && !e.quoted {
				e.done = true
				return i
			}
			continue
		}
		c := data[i]
		i++
		switch c {
		case '"':
			e.quoted = true
		case '[', '{':
			e.depth++
		case ']', '}':
			if e.depth--; e.depth == 0 {
				e.done = true
				return i
			}
		}
	}
	return i
}

// quote reads up to the end of a string, or of data.
func (e *extent) quote(data []byte) int {
	for i, c := range data {
		switch {
		case e.escaped:
			e.escaped = false
		case c == '\\':
			e.escaped = true
		case c == '"':
			e.quoted = false
			return i + 1
		}
	}
	return len(data)
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// member returns the value of an object's first member of that name, or nil.
func member(object []byte, name string) []byte {
	rest := object
	if len(rest) == 0 || rest[0] != '{' {
		return nil
	}
	rest = trim(rest[1:])
	for len(rest) > 0 && rest[0] == '"' {
		key, after := first(rest)
		if after = trim(after); len(after) == 0 || after[0] != ':' {
			return nil
		}
		value, after := first(trim(after[1:]))
		if string(key[1:len(key)-1]) == name {
			return value
		}
		if after = trim(after); len(after) == 0 || after[0] != ',' {
			return nil
		}
		rest = trim(after[1:])
	}
	return nil
}

// first splits data after its first value.
func first(data []byte) (value, rest []byte) {
	var e extent
	n := e.advance(data)
	return data[:n], data[n:]
}

func trim(data []byte) []byte {
	for len(data) > 0 && space(data[0]) {
		data = data[1:]
	}
	return data
}
