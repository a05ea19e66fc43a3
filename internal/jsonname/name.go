// Package jsonname writes names of files as JSON strings, and reads them.
//
// Linux allows any bytes in names, JSON only Unicode. A byte that is not part of valid UTF-8 becomes a lone surrogate,
// U+DC80 to U+DCFF, as in the names that Python's os.fsdecode returns (PEP 383). Python programs therefore read and
// write such JSON without code for it, and open the files.
package jsonname

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// Name is the name of a file in JSON.
type Name string

// MarshalJSON returns a JSON string.
func (n Name) MarshalJSON() ([]byte, error) {
	out := []byte{'"'}
	for rest := []byte(n); len(rest) > 0; {
		valid := validPrefix(rest)
		text, err := quoted(string(rest[:valid]))
		if err != nil {
			return nil, err
		}
		out = append(out, text[1:len(text)-1]...)
		if rest = rest[valid:]; len(rest) > 0 {
			out, rest = fmt.Appendf(out, `\udc%02x`, rest[0]), rest[1:]
		}
	}
	return append(out, '"'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Name) UnmarshalJSON(data []byte) error {
	text, err := Unquote(data)
	*n = Name(text)
	return err
}

// quoted returns text as JSON. Whether < > & are escaped is left to the encoder that the result is for.
func quoted(text string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	return bytes.TrimSpace(b.Bytes()), err
}

// validPrefix returns the number of bytes before the first that is not part of valid UTF-8.
func validPrefix(b []byte) (n int) {
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// surrogate finds the escapes of bytes, and skips other escapes, such as an escaped backslash before "udc80".
var surrogate = regexp.MustCompile(`\\(?:u[dD][cC]([89a-fA-F][0-9a-fA-F])|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|.)`)

// Unquote returns the text of a JSON string, with the bytes that Name writes as surrogates.
func Unquote(data []byte) (string, error) {
	var text string
	if !bytes.Contains(data, []byte(`\u`)) {
		err := json.Unmarshal(data, &text)
		return text, err
	}
	if !json.Valid(data) || data[0] != '"' {
		return "", json.Unmarshal(data, &text) // says what is wrong
	}
	var out []byte
	from := 1 // behind the quote
	add := func(part []byte) error {
		err := json.Unmarshal(append(append([]byte{'"'}, part...), '"'), &text)
		out = append(out, text...)
		return err
	}
	for _, at := range surrogate.FindAllSubmatchIndex(data, -1) {
		if at[2] < 0 {
			continue
		}
		if err := add(data[from:at[0]]); err != nil {
			return "", err
		}
		b, err := strconv.ParseUint(string(data[at[2]:at[3]]), 16, 8)
		if err != nil {
			return "", err
		}
		out, from = append(out, byte(b)), at[1]
	}
	err := add(data[from : len(data)-1])
	return string(out), err
}
