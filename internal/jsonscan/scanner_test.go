package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/jsonscan"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestValues(t *testing.T) {
	s := jsonscan.New([]byte(` {"a" : [1, -2.5e1, 3.0 ], "b\u00e9": "x\n", "c":[true,false,null], "d":{}, "e":[]} `))
	got := map[string]any{}
	require.NoError(t, s.Object(func(name string) error {
		var values []any
		switch s.Next() {
		case jsonscan.Array:
			return s.Array(func(i int) error {
				var value any
				var err error
				switch s.Next() {
				case jsonscan.Number:
					if i == 2 {
						value, err = s.Int()
					} else {
						value, _, err = s.Float()
					}
				case jsonscan.Null:
					err = s.Null()
				default:
					value, err = s.Bool()
				}
				values = append(values, value)
				got[name] = values
				return err
			})
		case jsonscan.String:
			text, err := s.String()
			got[name] = text
			return err
		}
		return s.Skip()
	}))
	require.NoError(t, s.End())
	assert.Equal(t, map[string]any{"a": []any{1.0, -25.0, int64(3)}, "bé": "x\n", "c": []any{true, false, nil}}, got)
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]bool{"12": true, "-0": true, "12.0": false, "1e2": false} {
		_, whole, err := jsonscan.New([]byte(text)).Float()
		require.NoError(t, err)
		assert.Equal(t, want, whole, text)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [1, {"b": tru}]}`: "a[1].b: an invalid value, at byte 16",
		`[[0], [01]]`:            "[1][0]: an invalid number, at byte 9",
		`[1 2]`:                  "neither a comma nor the end of the array, at byte 3",
		`{"a" 1}`:                "no colon after a name, at byte 5",
		`{a: 1}`:                 "no value, not a string, at byte 1",
		`{"a": 1 "b"}`:           "neither a comma nor the end of the object, at byte 8",
		`["\x"]`:                 "[0]: an invalid string, at byte 1",
		`["abc`:                  "[0]: a string without end, at byte 1",
		`["abc\`:                 "[0]: a string without end, at byte 1",
		"[\"a\tb\"]":             "[0]: a control character in a string, at byte 3",
		`[1.]`:                   "[0]: an invalid number, at byte 3",
		`[NaN]`:                  "[0]: no value, at byte 1",
		`[1] 2`:                  "bytes after the value, at byte 4",
		``:                       "no value, at byte 0",
		`[`:                      "[0]: no value, at byte 1",
		`[1,]`:                   "[1]: no value, at byte 3",
	} {
		s := jsonscan.New([]byte(text))
		err := s.Skip()
		if err == nil {
			err = s.End()
		}
		require.EqualError(t, err, want, text)
	}
	_, _, err := jsonscan.New([]byte("1e999")).Float()
	require.EqualError(t, err, "a number beyond the range of doubles, at byte 0")
	for _, text := range []string{"1.5", "99999999999999999999", "1e300"} {
		_, err := jsonscan.New([]byte(text)).Int()
		require.ErrorContains(t, err, "not a whole number of 64 bits: "+text)
	}
	_, err = jsonscan.New([]byte("[]")).Int()
	require.EqualError(t, err, "an array, not a number, at byte 0")
	_, err = jsonscan.New([]byte("[]")).Bool()
	require.EqualError(t, err, "an array, not false, at byte 0")
	require.EqualError(t, jsonscan.New([]byte("1")).Null(), "a number, not null, at byte 0")
	require.ErrorContains(t, jsonscan.New([]byte(strings.Repeat("[", 1e6))).Skip(), "nested more than 10000 deep")
}

// FuzzSkip: what is read is what encoding/json reads.
func FuzzSkip(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e-3,"x\u00e9",true,false,null],"":{}}`, `[01]`, `"a`, `[[[[`, ` 1 `, "\xff", `-`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := jsonscan.New(data)
		err := s.Skip()
		if err == nil {
			err = s.End()
		}
		if err == nil {
			fuzzed.Accept()
		}
		require.Equal(t, json.Valid(data), err == nil, "%v", err)
	})
}
