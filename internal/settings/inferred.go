package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/source"
)

// InferredSchema returns a schema file for inputs that a source seems to have, which LoadRecords reads. Inputs of kinds
// that records do not have are comments.
func InferredSchema(inputs []source.InferredInput) string {
	var (
		w      strings.Builder
		names  []string
		images = slices.ContainsFunc(inputs, func(in source.InferredInput) bool { return in.Kind == "image" })
	)
	w.WriteString("fields:\n")
	for _, in := range inputs {
		name := fieldName(in, names)
		options := fmt.Sprintf("kind: %s, input: %q", in.Kind, in.Name)
		switch {
		case kinds[in.Kind] == nil:
			fmt.Fprintf(&w, "  # %s: {%s} has no field yet\n", name, options)
			continue
		case in.Kind == "image":
			options += ", size: 224"
		case in.Kind == "video":
			options += ", size: 224, frames: 16"
		case in.Kind == "audio":
			options += ", rate: 16000, duration: 10"
		case in.Kind == "number":
			options += numberText(in.Type, in.Shape)
		case in.Kind == "mask" && !images:
			fmt.Fprintf(&w, "  # %s: {%s} follows an image, and there is none\n", name, options)
			continue
		case in.Kind == "mask":
			options += ", like: image" // fieldName calls the first image so
		}
		if in.Optional {
			options += ", optional: true"
		}
		names = append(names, name)
		fmt.Fprintf(&w, "  %s: {%s} # %d of %d samples\n", name, options, in.Samples, in.Examined)
	}
	return w.String()
}

// fieldName returns a name for an input that no field has yet: image or mask for the first of these, and else that of
// the input.
func fieldName(in source.InferredInput, taken []string) string {
	if (in.Kind == "image" || in.Kind == "mask") && !slices.Contains(taken, in.Kind) {
		return in.Kind
	}
	first, _, _ := strings.Cut(in.Name, ";")
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, first)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	for base, n := name, 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	return name
}
