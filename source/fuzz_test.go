package source_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/source"
)

// FuzzList compares the parser, which reads a stream, with one that splits the whole text.
func FuzzList(f *testing.F) {
	for _, seed := range []string{"", "a.jpg\nb.jpg\t5\r\n\n", "\uFEFF\t1\n", "a\tb\tc\t-1", "\x00\n",
		"a\t9223372036854775808\n",
		"a\t+5\nb\t05\n", "\r\n\r\r\na\r\r\n", strings.Repeat("\n", 100) + "z", strings.Repeat("x", 1<<16)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) >= 1<<16 {
			return // the splitting parser has no limit
		}
		fuzzed.Accept()
		want := splitList(string(text))
		var got []entry
		err := source.ParseList(bytes.NewReader(text), func(line int, name string, label int64, err error) {
			got = append(got, entry{line, name, label, err != nil})
		})
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

type entry struct {
	line  int
	name  string
	label int64
	bad   bool
}

func splitList(text string) (list []entry) {
	for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if len(strings.TrimSpace(line)) == 0 {
			continue
		}
		fields := strings.Split(line, "\t")
		e := entry{line: i + 1, name: line, label: -1}
		if n := len(fields); n > 1 {
			label, err := strconv.ParseInt(fields[n-1], 10, 64)
			e.name, e.label = strings.Join(fields[:n-1], "\t"), label
			e.bad = err != nil || label < -1
		}
		if e.bad = e.bad || e.name == "" || strings.Contains(e.name, "\x00"); e.bad {
			e.name, e.label = "", 0
		}
		list = append(list, e)
	}
	return list
}
