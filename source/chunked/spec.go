package chunked

import (
	"encoding/json"
	"strconv"
)

// node is a node of a tree of values, as PyTorch's treespec_dumps writes it.
type node struct {
	Type     *string
	Context  string
	Children []node `json:"children_spec"`
}

const maxDepth = 32

// names returns the names of the leaves of a tree: keys and positions, joined by dots. A single leaf is called value.
func names(spec string) ([]string, error) {
	var both []json.RawMessage // the version of the form, and the root
	var root node
	if json.Unmarshal([]byte(spec), &both) != nil || len(both) != 2 || json.Unmarshal(both[1], &root) != nil {
		return nil, corrupt("no tree of values: %.100q", spec)
	}
	if root.Type == nil {
		return []string{"value"}, nil
	}
	return root.leaves("", nil, 0)
}

// leaves appends the names of the leaves below a node.
func (n *node) leaves(prefix string, found []string, depth int) ([]string, error) {
	if n.Type == nil {
		return append(found, prefix), nil
	}
	if depth > maxDepth {
		return nil, corrupt("a tree of values of more than %d levels", maxDepth)
	}
	var keys []json.RawMessage
	_ = json.Unmarshal([]byte(n.Context), &keys) // lists have none
	for i := range n.Children {
		name := strconv.Itoa(i)
		if len(keys) == len(n.Children) {
			if json.Unmarshal(keys[i], &name) != nil {
				name = string(keys[i])
			}
		}
		if prefix != "" {
			name = prefix + "." + name
		}
		var err error
		if found, err = n.Children[i].leaves(name, found, depth+1); err != nil {
			return nil, err
		}
	}
	return found, nil
}
