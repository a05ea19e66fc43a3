package table_test

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
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

// escapedByte is a byte of a name, which encoding/json does not know: see internal/jsonname.
var escapedByte = regexp.MustCompile(`(?i)\\udc[89a-f]`)

// FuzzCells: any object's values are the cells that encoding/json reads.
func FuzzCells(f *testing.F) {
	var seeds [][]byte
	for _, seed := range []string{`{"a":1.5,"b":{"c":[1,"x"]}}`, `{"a":null,"A":"\ud800"}`, `{"":{"":true}}`, `{"a.b":-0,"a":{"b":1e9}}`,
		"{}", `{"a":"x"} `, `{"a":1,"a":2}`} {
		seeds = append(seeds, []byte(seed))
	}
	mutate.Fuzz(f, seeds, func(t testing.TB, line []byte, _ uint64) {
		var object map[string]any
		if len(line) > 1<<16 || json.Unmarshal(line, &object) != nil || object == nil {
			return
		}
		for _, c := range line {
			if c == '\n' || c == '\r' {
				return
			}
		}
		fuzzed.Accept()
		cells := openCells(t, ".jsonl", string(line), table.Columns{})
		for _, column := range cells.Columns() {
			c, err := cells.Cell(t.Context(), 0, column.Name)
			if err != nil || c.Type == table.Absent {
				t.Fatalf("%q: column %q is %v, %v", line, column.Name, c.Type, err)
			}
		}
		for name, want := range object {
			c, err := cells.Cell(t.Context(), 0, name)
			if err != nil {
				t.Fatalf("%q: %q: %v", line, name, err)
			}
			switch want := want.(type) {
			case nil:
				if c.Type != table.Absent {
					t.Fatalf("%q: %q is %v", line, name, c.Type)
				}
			case string:
				if c.Type != table.Text || string(c.Data) != want && !escapedByte.Match(line) {
					t.Fatalf("%q: %q is %v %q", line, name, c.Type, c.Data)
				}
			case float64:
				x, err := strconv.ParseFloat(string(c.Data), 64)
				if c.Type != table.Number || err != nil || x != want {
					t.Fatalf("%q: %q is %v %q", line, name, c.Type, c.Data)
				}
			default:
				if c.Type != table.JSON || !json.Valid(c.Data) {
					t.Fatalf("%q: %q is %v %q", line, name, c.Type, c.Data)
				}
			}
		}
	})
}
