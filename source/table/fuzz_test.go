package table_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/source/table"
)

// FuzzSeparated compares the rows of a table with those that encoding/csv reads, where that accepts the text.
func FuzzSeparated(f *testing.F) {
	for _, seed := range []string{"path,label\na,1\n", "a,\"b\"\"c\nd\"\r\n\r\n,\n", "\"\"\n\"",
		"a\"b,\"\"\"\",\"\r\n\"\n", "x\r", "\"a\"b\n,"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := table.SplitRows(text)
		r := csv.NewReader(strings.NewReader(string(text)))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		fuzzed.Accept()
		if len(want) != len(got) {
			t.Fatalf("%q: %q, encoding/csv has %q", text, got, want)
		}
		for i := range want {
			if strings.Join(want[i], "\x00|") != strings.Join(got[i], "\x00|") {
				t.Fatalf("%q: row %d is %q, encoding/csv has %q", text, i, got[i], want[i])
			}
		}
	})
}
