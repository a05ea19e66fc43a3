package predicate_test

import (
	"errors"
	"testing"

	"github.com/expr-lang/expr"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/source/predicate"
)

// FuzzRows: on rows without missing values, a predicate selects those for which the library itself says true.
func FuzzRows(f *testing.F) {
	var seeds [][]byte
	for _, text := range []string{"width >= 256 and lang == 'en'", "not (width < 300) or lang in ['de', 'fr']",
		"'a' in tags && !ok", "width * 2 - 1 > size ** 2 or lang matches '^[de]'", "any(tags, # == 'b') and len(lang) == 2",
		"(width ?? 0) > 3 and size != nil", "let w = width % 7; w > 2 or lang startsWith \"e\"", "1 <= size < 2.5",
		"width > 250 ? ok : not ok", "lang not in ['en'] and tags[0] != lang", "ok == false", "lang + 'x' == 'enx'",
		"filter(tags, {# > 'a'}) | len() == 1", "{'a': width}.a == 300", "lang[0:1] == 'e'",
		"upper(lang) + `\\n` != \"\\x41\""} {
		seeds = append(seeds, []byte(text))
	}
	const lines = `{"width":300,"size":1.5,"lang":"en","tags":["a","b"],"ok":true}` + "\n" +
		`{"width":-7,"size":2.25,"lang":"de","tags":["c"],"ok":false}` + "\n"
	envs := []map[string]any{
		{"width": 300, "size": 1.5, "lang": "en", "tags": []any{"a", "b"}, "ok": true},
		{"width": -7, "size": 2.25, "lang": "de", "tags": []any{"c"}, "ok": false},
	}
	mutate.Fuzz(f, seeds, func(t testing.TB, text []byte, _ uint64) {
		if len(text) > 1<<10 {
			return
		}
		got, err := rows(t, cells(t, ".jsonl", lines), string(text))
		var problem *predicate.Error
		if err != nil && !errors.As(err, &problem) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		fuzzed.Accept()
		for k, env := range envs {
			program, err := expr.Compile(string(text), expr.Env(env))
			if err != nil { // names in another case are columns here only
				return
			}
			want, err := expr.Run(program, env)
			if selected := len(got) > 0 && got[0] == uint32(k) || len(got) > 1; err == nil && (want == true) != selected {
				t.Fatalf("%q: row %d: %v, the library has %v", text, k, selected, want)
			}
		}
	})
}
