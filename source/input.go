package source

import (
	"cmp"
	"strings"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/nearest"
)

// Input names one part of each sample of Records: a member of a shard's sample, a column of a table, or a file in one
// of several folders that are beside each other.
type Input struct {
	// Name is an extension without its first dot in shards, a column in tables, and a subfolder in folders.
	// Alternatives are separated by ";", and the first one that a sample has counts: "jpg;png;webp".
	Name string
	// Value takes from a column of a table the value itself: text, a number, a list. Without it, the column holds the path,
	// URL or bytes of a file. It has no effect in shards and folders.
	Value bool
	// Optional allows samples without this input. Without it, that is an error of the sample.
	Optional bool
}

// input is an Input with its alternatives.
type input struct {
	Input
	names []string
}

// parseInputs checks inputs and splits their names.
func parseInputs(inputs []Input) ([]input, error) {
	var bad invalid.Options
	if len(inputs) == 0 {
		bad.Addf("records need inputs")
	}
	parsed := make([]input, len(inputs))
	for i, in := range inputs {
		parsed[i] = input{in, strings.Split(in.Name, ";")}
		for k, name := range parsed[i].names {
			name = strings.TrimSuffix(strings.TrimSpace(name), "/")
			if name == "" || name[0] == '.' || name[0] == '/' {
				bad.Value("Input.Name", in.Name, "each alternative must be a name without a dot or slash before it")
			}
			parsed[i].names[k] = name
		}
	}
	return parsed, bad.Err()
}

// String returns the names of the input, for messages.
func (in *input) String() string { return strings.Join(in.names, " or ") }

// required returns the index of the first input that samples must have, or 0.
func required(inputs []input) int {
	for i, in := range inputs {
		if !in.Optional {
			return i
		}
	}
	return 0
}

// among returns the names of an input that does not exist, those that do, and which of them it probably means.
func (in *input) among(there []string) string {
	text := in.String() + "; there are " + cmp.Or(shown(there), "none")
	for _, name := range in.names {
		if near := nearest.Word(name, there); near != "" {
			return text + "; did you mean " + near + "?"
		}
	}
	return text
}
