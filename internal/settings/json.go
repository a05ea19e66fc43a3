package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// key is what a setting is called in JSON.
func key(name string) string { return strings.ReplaceAll(name, "-", "_") }

// JSON takes an object's values: keys are the settings' names with _ for -, and what is null is not given. A value is
// the flag's text, or what it says as a number, true or false, a list, or an object of what a flag has as NAME=VALUE. Keys that
// are no setting's are problems, and all are told by their keys from now on.
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
			s.Refuse("unknown option: %s", name)
			return
		}
		values, err := setting.values(value)
		if err != nil {
			s.Refuse("%s: %v", name, err)
		}
		for _, v := range values {
			_ = setting.Set(v) // which keeps its problem
		}
	})
}

// members gives an object's members in their order.
func members(text []byte, member func(name string, value json.RawMessage)) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if token, err := d.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return errors.New("no { at its beginning")
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
		member(name.(string), value) // or it would have been an error
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more behind it")
	}
	return nil
}

// values are the texts that a JSON value stands for, one for each time that a flag would be given.
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

// plain is the text of a value that has no parts.
func plain(value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	case '[', '{', 'n':
		return "", fmt.Errorf("%s where a text, a number, true or false is wanted", value)
	}
	return string(value), nil // as it is written: no digit of a large number is lost
}
