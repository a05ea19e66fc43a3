package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a table that tests modify.
func small() []rule {
	return []rule{
		{path: ".", pure: true, why: "root"},
		{path: "internal/*", alone: true, pure: true, why: "for all"},
		{path: "pipe", alone: true, pure: true, why: "no media"},
		{path: "batch", ours: []string{"."}, pure: true, why: "no pixels"},
		{path: "c/mem", calls: true, why: "lowest"},
		{path: "c/*", ours: []string{".", "c/mem"}, theirs: []string{"example.com/av"}, calls: true, why: "libraries"},
		{path: "decode", ours: []string{".", "c/*"}, why: "composes"},
		{path: "cmd/*", ours: []string{"*"}, why: "top"},
	}
}

func TestCheckTable(t *testing.T) {
	assert.Empty(t, checkTable(small()))
	for _, c := range []struct {
		name   string
		change func(table []rule) []rule
		want   []string
	}{
		{"twice", func(t []rule) []rule { return append(t, rule{path: "pipe", why: "again"}) },
			[]string{"pipe has two rules"}},
		{"no reason", func(t []rule) []rule { return append(t, rule{path: "new"}) },
			[]string{"the rule of new gives no reason"}},
		{"unknown", func(t []rule) []rule { return append(t, rule{path: "new", ours: []string{"old"}, why: "x"}) },
			[]string{"new may import old, which has no rule"}},
		{"alone with parts", func(t []rule) []rule {
			t[2].ours = []string{"pipe/queue"}
			return append(t, rule{path: "pipe/queue", alone: true, pure: true, why: "part"})
		}, nil},
		{"alone with parts that are not", func(t []rule) []rule {
			t[2].ours = []string{"pipe/queue"}
			return append(t, rule{path: "pipe/queue", ours: []string{"."}, pure: true, why: "part"})
		}, []string{"pipe is marked alone, but has imports"}},
		{"alone with others", func(t []rule) []rule { t[2].ours = []string{"."}; return t },
			[]string{"pipe is marked alone, but has imports"}},
		{"circle", func(t []rule) []rule { t[4].ours = []string{"decode"}; return t },
			[]string{"c/mem may import itself through other packages", "c/* may import itself through other packages",
				"decode may import itself through other packages"}},
		{"circle of a pattern", func(t []rule) []rule { t[5].ours = []string{"c/x"}; return t },
			[]string{"c/* may import itself through other packages"}},
		{"cgo below pure", func(t []rule) []rule { t[3].ours = []string{".", "c/jpeg"}; return t },
			[]string{"batch builds without cgo, but may import c/*, which does not",
				"batch builds without cgo, but may import c/mem, which does not"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, checkTable(c.change(small())))
		})
	}
}

func TestCheckImports(t *testing.T) {
	for _, c := range []struct {
		path, file, imports string
		refused             string // part of the reason; empty: allowed
	}{
		{"pipe", "a.go", "sync", ""},
		{"pipe", "a.go", "encoding/json", ""},
		{"pipe", "a.go", "golang.org/x/sync/errgroup", "no media"},
		{"pipe", "a.go", module, "no media"},
		{"pipe", "a.go", module + "/internal/leaktest", "no media"},
		{"pipe", "a_test.go", module + "/internal/leaktest", ""},
		{"pipe", "a_test.go", module, ""},
		{"pipe", "a_test.go", module + "/decode", "the tests of pipe are built without cgo"},
		{"pipe", "a_test.go", "github.com/stretchr/testify/assert", ""},
		{"pipe", "a.go", "github.com/stretchr/testify/assert", "no module that pipe may use"},
		{"batch", "a.go", module, ""},
		{"batch", "a.go", module + "/internal/invariants", ""},
		{"batch", "a.go", module + "/pipe", "no pixels"},
		{"batch", "a.go", "C", "C is called below cbridge"},
		{"batch", "a_test.go", "C", "C is called below cbridge"},
		{"batch", "a.go", "golang.org/x/sync/semaphore", ""},
		{"batch", "a.go", "golang.org.evil.com/x", "no module that batch may use"},
		{"c/jpeg", "a.go", "C", ""},
		{"c/jpeg", "a.go", module + "/c/mem", ""},
		{"c/jpeg", "a.go", module + "/c/webp", "libraries"},
		{"c/jpeg", "a.go", "example.com/av/codec", ""},
		{"c/jpeg", "a.go", "example.com/avx", "no module that c/* may use"},
		{"c/mem", "a.go", "example.com/av", "no module that c/mem may use"},
		{"c/mem", "a.go", module, "lowest"},
		{"decode", "a.go", module + "/c/jpeg", ""},
		{"decode", "a.go", module + "/batch", "composes"},
		{"internal/new", "a.go", module + "/internal/old", "for all"},
		{"cmd/spool", "a.go", module + "/decode", ""},
		{"cmd/spool", "a.go", "C", "C is called below cbridge"},
		{"cmd/spool", "a.go", "example.com/cli", "no module that cmd/* may use"},
		{"newcomer", "a.go", "sync", "newcomer has no rule"},
		{"c", "a.go", "sync", "c has no rule"},
	} {
		p := pkg{path: c.path, files: []file{{path: c.path + "/" + c.file, test: strings.HasSuffix(c.file, "_test.go"),
			imports: []string{c.imports}}}}
		wrong := checkImports(small(), []pkg{p})
		if c.refused == "" {
			assert.Empty(t, wrong)
		} else if assert.Len(t, wrong, 1, "%s importing %s", c.path, c.imports) {
			assert.Contains(t, wrong[0], c.refused)
		}
	}
}

func TestCheckDocs(t *testing.T) {
	assert.Equal(t, []string{"undocumented has no package comment", "undocumented has no Example with an Output",
		"internal/x has no package comment"},
		checkDocs([]pkg{
			{path: "good", doc: "Package good is.", examples: 1}, {path: "undocumented"}, {path: "internal/x"},
			{path: "internal/y", doc: "Package y is."}, {path: "cmd/x", name: "main", doc: "Command x is."},
			{path: "cmd/x/internal/y", doc: "Package y is."},
		}))
}

func TestCheckPromises(t *testing.T) {
	assert.Equal(t, []string{"cbridge/x does not say that it makes no compatibility promise"}, checkPromises([]pkg{
		{path: "cbridge/x", files: []file{{comment: "Package x is."}}},
		{path: "pipe", files: []file{{comment: "Package pipe is."}}},
		{path: "cbridge/y", files: []file{{}, {comment: "Package y is, with no compatibility\npromise."}}},
	}))
}

func TestCheckLeaks(t *testing.T) {
	checked := file{path: "a_test.go", test: true, imports: []string{module + "/internal/leaktest"},
		funcs: []string{"TestMain", "TestA"}}
	one := file{path: "b_test.go", test: true, imports: checked.imports, funcs: []string{"TestB"}} // uses leaktest.Check
	plain := file{path: "c.go"}
	assert.Equal(t, []string{"partly has no TestMain that calls internal/leaktest",
		"unchecked has no TestMain that calls internal/leaktest"},
		checkLeaks([]pkg{
			{path: "good", files: []file{plain, checked}}, {path: "partly", files: []file{one}},
			{path: "untested", files: []file{plain}},
			{path: "unchecked", files: []file{{test: true, funcs: []string{"TestMain"}}}},
			{path: "internal/leaktest", files: []file{{test: true}}},
		}))
}

func TestCheckSkips(t *testing.T) {
	for code, want := range map[string]bool{
		`t.Skip(err)`: true, `t.Skipf("no disk: %v", err)`: true, `need.Skip(t, need.System, "no disk: %v", err)`: false,
		`t.Skip("takes minutes")`: false,
	} {
		path := filepath.Join(t.TempDir(), "a_test.go")
		require.NoError(t, os.WriteFile(path, []byte("package a\n\nfunc f() { "+code+" }\n"), 0o600))
		f, _ := parse(t, path)
		assert.Equal(t, want, len(checkSkips([]pkg{{files: []file{f}}})) == 1, code)
	}
}

func TestCheckReduced(t *testing.T) {
	p := func(path string) pkg {
		return pkg{path: path, files: []file{{path: path + "/a_test.go"},
			{path: path + "/b_test.go", reduced: []string{"TestB"}}}}
	}
	assert.Equal(t, []string{"c/b_test.go: TestB starts goroutines, and checks -short",
		"c/d/b_test.go: TestB starts goroutines, and checks -short"},
		checkReduced([]string{"c", "e"}, []pkg{p("c"), p("c/d"), p("cd"), p("pipe")}))
}

func TestCheckFuzzing(t *testing.T) {
	fuzz := func(path string, names ...string) pkg {
		return pkg{path: path, files: []file{{test: true, funcs: names}}}
	}
	key := func(name string) string { return module + "/" + name }
	assert.Equal(t, []string{
		key("pipe.FuzzNew") + " is not in the ledger: make fuzz",
		key("c/jpeg.FuzzPlain") + " never ran under the address sanitizer: bin/tools/fuzz -asan",
		key("c/jpeg.FuzzGone") + " is in the ledger, and does not exist",
	}, checkFuzzing([]pkg{fuzz("pipe", "FuzzOld", "FuzzNew", "TestX"), fuzz("c/jpeg", "FuzzPlain", "FuzzBoth")},
		map[string]survived{
			key("pipe.FuzzOld"): {AsanExecutions: 1}, key("c/jpeg.FuzzPlain"): {Executions: 1},
			key("c/jpeg.FuzzBoth"): {Executions: 1, AsanExecutions: 1},
			key("c/jpeg.FuzzGone"): {Executions: 1}, key("c/jpeg/fuzz"): {AsanExecutions: 1},
		}))
}

func TestCheckLengths(t *testing.T) {
	lines := map[string]int{"short.go": 10, "just.go": 400, "long.c": 401, "table.go": 5000, "just_test.go": 600,
		"long_test.go": 601, "python/tests/just.py": 600, "python/spool/long.py": 600}
	assert.Equal(t, []string{"long.c has 401 lines, more than 400: split it, or give the reason in internal/archtest",
		"long_test.go has 601 lines, more than 600: split it, or give the reason in internal/archtest",
		"python/spool/long.py has 600 lines, more than 400: split it, or give the reason in internal/archtest"},
		checkLengths(lines, map[string]string{"table.go": "generated"}))
	assert.Equal(t, []string{"gone.go is listed as long, but has 0 lines", "short.go is listed as long, but has 10 lines"},
		checkLengths(map[string]int{"short.go": 10}, map[string]string{"short.go": "once was", "gone.go": "moved"}))
}

func TestCheckFolders(t *testing.T) {
	folder := func(path string, sources, tests int) pkg {
		p := pkg{path: path}
		for range sources {
			p.files = append(p.files, file{})
		}
		for range tests {
			p.files = append(p.files, file{test: true})
		}
		return p
	}
	assert.Equal(t, []string{"large has 31 Go files, more than 30: split it"},
		checkFolders([]pkg{folder("just", 30, 40), folder("large", 31, 0), folder("small", 2, 0)}))
}

func TestParse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "example_test.go")
	require.NoError(t, os.WriteFile(path, []byte(`//go:build neverbuilt

package x_test

import (
	"fmt"
	other "example.com/other"
)

func Example() {
	fmt.Println(other.Name)
	// Output: name
}

func ExampleSilent() {
	// Output:
}

func ExampleNotRun() { fmt.Println() }

func TestBoth(t *testing.T) { go fmt.Println(testing.Short()) }

func TestGroup(t *testing.T) {
	if testing.Short() {
		group.Go(nil)
	}
}

func TestSome(t *testing.T) { go fmt.Println(short.Some(nil, 2)) }

func TestShort(t *testing.T) { fmt.Println(testing.Short()) }

func TestConcurrent(t *testing.T) { go fmt.Println() }
`), 0o644))
	f, examples := parse(t, path)
	assert.Equal(t, []string{"fmt", "example.com/other"}, f.imports)
	assert.True(t, f.test)
	assert.Equal(t, 2, examples)
	assert.Equal(t, []string{"TestBoth", "TestGroup", "TestSome"}, f.reduced)
}

func TestLineCounts(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "1\n2\n", "sub/b.c": "1\n", "sub/c.h": "", "d.txt": "1\n", "g.py": "1\n", "testdata/e.go": "1\n",
		".git/f.go": "1\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	assert.Equal(t, map[string]int{"a.go": 2, "sub/b.c": 1, "sub/c.h": 0, "g.py": 1}, lineCounts(t, root))
}
