// Package yamljson converts YAML to JSON. It is apart from the settings that have such files, because the C library has
// JSON only: the parser of YAML is large.
package yamljson

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// Convert returns a YAML document as JSON, with the keys of mappings in their order. JSON is YAML, too.
func Convert(text []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 { // an empty file
		return []byte("null"), nil
	}
	return object(document.Content[0])
}

// object returns a node as JSON, with the keys in their order.
func object(n *yaml.Node) ([]byte, error) {
	var w bytes.Buffer
	switch n.Kind {
	case yaml.AliasNode:
		return object(n.Alias)
	case yaml.MappingNode, yaml.SequenceNode:
		mapping := n.Kind == yaml.MappingNode
		if mapping {
			w.WriteByte('{')
		} else {
			w.WriteByte('[')
		}
		for i := 0; i < len(n.Content); i++ {
			if i > 0 {
				w.WriteByte(',')
			}
			if mapping {
				key, _ := json.Marshal(n.Content[i].Value)
				w.Write(key)
				w.WriteByte(':')
				i++
			}
			value, err := object(n.Content[i])
			if err != nil {
				return nil, err
			}
			w.Write(value)
		}
		if mapping {
			w.WriteByte('}')
		} else {
			w.WriteByte(']')
		}
		return w.Bytes(), nil
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}
