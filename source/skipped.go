package source

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Skipped counts the files, samples of shards and rows of tables that a listing saw and did not list. Saved indexes
// (.spoolidx) do not count.
type Skipped struct {
	Hidden     int            // files and folders whose names begin with a dot
	Extensions map[string]int // files and samples of shards with other extensions, by extension in lower case
	Outside    int            // files with a wanted extension next to class folders, which belong to no class
	Rows       int            // rows of tables that Options.Where leaves out
}

func (s *Skipped) add(t Skipped) {
	s.Hidden += t.Hidden
	s.Outside += t.Outside
	s.Rows += t.Rows
	for e, n := range t.Extensions {
		s.Extensions[e] += n
	}
}

// String lists the files that were skipped, the most frequent first: "12 .txt, 3 hidden". It is empty when nothing was.
func (s Skipped) String() string {
	const kinds = 4 // enough to recognize a folder
	var words []string
	byCount := slices.SortedFunc(maps.Keys(s.Extensions), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Extensions[b], s.Extensions[a]), cmp.Compare(a, b))
	})
	rest := 0
	for i, e := range byCount {
		switch {
		case i >= kinds:
			rest += s.Extensions[e]
		case e == "":
			words = append(words, fmt.Sprintf("%d without extension", s.Extensions[e]))
		default:
			words = append(words, fmt.Sprintf("%d %s", s.Extensions[e], e))
		}
	}
	for _, w := range []struct {
		n    int
		what string
	}{{rest, "of other kinds"}, {s.Hidden, "hidden"}, {s.Outside, "beside the class folders"}} {
		if w.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", w.n, w.what))
		}
	}
	return strings.Join(words, ", ")
}
