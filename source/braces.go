package source

import (
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/spoolmedia/spool"
)

// maxBraced limits the names that braces expand to, so that a typing error does not use all memory.
const maxBraced = 10_000_000

// ExpandBraces returns the names that the braces of an argument of Open expand to. It returns the argument itself if it
// has no braces, or if a file has that name. More than 10 million names are ErrOptions.
func ExpandBraces(arg string) ([]string, error) {
	if !strings.Contains(arg, "{") || exists(strings.TrimPrefix(arg, "@")) {
		return []string{arg}, nil
	}
	word := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: arg}}}
	syntax.SplitBraces(word)
	if n := braced(word); n > maxBraced {
		return nil, fmt.Errorf("%w: list %s: the braces stand for more than %d names", spool.ErrOptions, arg, maxBraced)
	}
	words := expand.Braces(word) //nolint:staticcheck // BracesSeq ends at 16384; data sets have more shards
	names := make([]string, len(words))
	for i, w := range words {
		for _, part := range w.Parts {
			if literal, ok := part.(*syntax.Lit); ok {
				names[i] += literal.Value
			}
		}
	}
	return names, nil
}

// braced returns the number of names that a word expands to, or any number beyond maxBraced.
func braced(word *syntax.Word) int {
	n := 1
	for _, part := range word.Parts {
		braces, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		n = min(n*alternatives(braces), maxBraced+1)
	}
	return n
}

func alternatives(braces *syntax.BraceExp) (n int) {
	if !braces.Sequence {
		for _, w := range braces.Elems {
			n = min(n+braced(w), maxBraced+1)
		}
		return n
	}
	from, err := strconv.ParseInt(braces.Elems[0].Lit(), 10, 32)
	if err != nil { // letters
		return 1 << 8
	}
	to, err := strconv.ParseInt(braces.Elems[1].Lit(), 10, 32)
	if err != nil {
		return maxBraced + 1
	}
	return int(min(max(from-to, to-from)+1, maxBraced+1))
}
