package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
)

// BenchmarkRecordsOfTables describes rows and opens their four values.
func BenchmarkRecordsOfTables(b *testing.B) {
	const rows = 10_000
	var csv, lines strings.Builder
	csv.WriteString("key,label,caption,width,height,lang\n")
	for i := range rows {
		text := strings.Repeat("word ", 20)
		fmt.Fprintf(&csv, "%08d,%d,\"%s, and more\",%d,%d,en\n", i, i%10, text, i, 2*i)
		fmt.Fprintf(&lines, `{"key":"%08d","label":%d,"caption":"%s, and more","width":%d,"height":%d,"lang":"en"}`+"\n", i,
			i%10, text, i, 2*i)
	}
	var inputs []source.Input
	for _, name := range []string{"caption", "width", "height", "lang"} {
		inputs = append(inputs, source.Input{Name: name, Value: true})
	}
	for name, text := range map[string]string{"t.csv": csv.String(), "t.jsonl": lines.String()} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			path := filepath.Join(b.TempDir(), name)
			require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
			r, err := source.OpenRecords(b.Context(), []string{path}, inputs, source.Options{})
			require.NoError(b, err)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				r.Item(n * 7 % rows)
				for k := range inputs {
					o, err := r.OpenInput(b.Context(), n*7%rows, k)
					require.NoError(b, err)
					o.Close()
				}
			}
		})
	}
}
