package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// key returns the key of a setting in JSON.
func key(name string) string { return strings.ReplaceAll(name, "-", "_") }

// JSON reads an object of values. Keys are the names of settings with _ for -, and null values are not given. A value
// is the text of the flag, or its value as a number, true or false, or a list. A flag of the form NAME=VALUE takes an
// object. Unknown keys are problems. From now on, all problems name settings by their keys.
func (s *Set) JSON(text []byte) {
	s.keys = true
	if err := s.object(text); err != nil {
		s.Refuse("not a JSON object: %v", err)
	}
}

func (s *Set) object(text []byte) error {
	return members(text, func(name string, value json.RawMessage) {
		setting := s.byName[strings.ReplaceAll(name, "_", "-")]
		if setting == nil || strings.Contains(name, "-") {
			if !s.lenient {
				s.Refuse("unknown option: %s%s", name, s.suggest(name))
			}
			return
		}
		if setting.raw != nil {
			if err := setting.raw(value); err != nil {
				s.Refuse("--%s: %v", setting.Name, err)
			}
			return
		}
		values, err := setting.values(value)
		if err != nil {
			s.Refuse("--%s: %v", setting.Name, err)
		}
		for _, v := range values {
			_ = setting.Set(v) // it records its problem
		}
	})
}

// members calls member for each member of an object, in order.
func members(text []byte, member func(name string, value json.RawMessage)) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return errors.New("it does not begin with {")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		member(name.(string), value) // a key is always a string
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("data after the object")
	}
	return nil
}

// values returns the texts of a JSON value, one for each time that a flag would be given.
func (v *Setting) values(value json.RawMessage) ([]string, error) {
	var parts []string
	switch value[0] {
	case 'n':
		return nil, nil
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, err
		}
		for _, element := range list {
			text, err := plain(element)
			if err != nil {
				return nil, err
			}
			parts = append(parts, text)
		}
	case '{':
		var problem error
		if err := members(value, func(name string, element json.RawMessage) {
			text, err := plain(element)
			problem = errors.Join(problem, err)
			parts = append(parts, name+"="+text)
		}); err != nil {
			return nil, err
		}
		if problem != nil {
			return nil, problem
		}
	default:
		text, err := plain(value)
		return []string{text}, err
	}
	if v.join == "" {
		return parts, nil
	}
	return []string{strings.Join(parts, v.join)}, nil
}

// plain returns the text of a scalar.
func plain(value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	case '[', '{', 'n':
		return "", fmt.Errorf("%s in place of a string, a number, true or false", value)
	}
	return string(value), nil // as written, so that large numbers keep all digits
}
