package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const root = "../.."

// The page is that of the sources and of the mapping, which has each exported name and no others.
func TestPageIsFresh(t *testing.T) {
	want, err := generate(root)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go run ./internal/surfaces")
}

// The names of C are in its headers: as words, since the keys of JSON are in comments.
func TestNamesOfC(t *testing.T) {
	var headers strings.Builder
	files, err := filepath.Glob(filepath.Join(root, "capi/spool*.h"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		headers.Write(text)
	}
	names := 0
	for _, row := range rows(t) {
		for _, span := range regexp.MustCompile("`(.*?)`").FindAllStringSubmatch(row[2], -1) {
			names++
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(span[1]) + `\b`)
			assert.True(t, word.MatchString(headers.String()), "no %s, of %s", span[1], row[0])
		}
	}
	assert.Greater(t, names, 300)
}

// rows returns the columns of all symbols on the page.
func rows(t *testing.T) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `") {
			columns := strings.Split(strings.Trim(line, "| \n"), " | ")
			require.Len(t, columns, 1+surfaces, line)
			all = append(all, columns)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// A package with all kinds of names: those of other modules, of tests, and that are not exported are left out.
func TestPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n",
		"a.go": "package m\n\nconst Limit, Least = 1, 2\n\nconst hidden = 3\n\ntype Kind int\n\nconst (\n" +
			"\tOne Kind = iota\n\ttwo\n\tThree\n)\n\nfunc Of() Kind { return One }\n\nfunc (Kind) Method() {}\n\n" +
			"var Err error\n",
		"a_test.go":           "package m\n\nfunc Tested() {}\n",
		"internal/x/x.go":     "package x\n\nfunc X() {}\n",
		"other/go.mod":        "module other\n",
		"other/other.go":      "package other\n\nfunc Other() {}\n",
		"deep/er/er.go":       "package er\n\nfunc Er() {}\n",
		"testdata/program.go": "package program\n\nfunc Program() {}\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	all, err := packages(dir)
	require.NoError(t, err)
	assert.Equal(t, []goPackage{
		{path: "m", name: "m", symbols: []symbol{
			{name: "Err", others: []string{}}, {name: "Kind", others: []string{"One", "Three"}},
			{name: "Limit", others: []string{"Least"}}, {name: "Of"},
		}},
		{path: "deep/er", name: "er", symbols: []symbol{{name: "Er"}}},
	}, all)
}

func TestMapping(t *testing.T) {
	all := []goPackage{{path: "a/b", name: "b",
		symbols: []symbol{{name: "X"}, {name: "Y", others: []string{"One", "Two"}}}}}
	m, err := parse("# a comment\n\n[a/b]\nX | `spool.x` | `spool_x` | `spool x`\nY | Go only: an interface\n")
	require.NoError(t, err)
	require.NoError(t, m.covers(all))
	text := string(write(all, m))
	assert.Contains(t, text, "\n| [a/b](#ab) | 2 | 1 | 1 | 1 |\n| all | 2 | 1 | 1 | 1 |\n")
	assert.Contains(t, text, "\n## a/b\n\n| Go | Python | C | command |\n|---|---|---|---|\n"+
		"| `b.X` | `spool.x` | `spool_x` | `spool x` |\n"+
		"| `b.Y`: `One`, `Two` | Go only: an interface | Go only: an interface | Go only: an interface |\n")

	for name, c := range map[string]struct{ text, problem string }{
		"an empty cell":           {"[a/b]\nX Y | a | | c\n", "surfaces.txt:2: not symbols and 3 cells: X Y | a | | c"},
		"two cells":               {"[a/b]\nX Y | a | b\n", "surfaces.txt:2: not symbols and 3 cells: X Y | a | b"},
		"no package":              {"X Y | a\n", "surfaces.txt:1: not symbols and 3 cells: X Y | a"},
		"a name twice":            {"[a/b]\nX Y | a\nX | b\n", "surfaces.txt:3: X a second time"},
		"a symbol without a row":  {"[a/b]\nX | a\n", "surfaces.txt: no row for Y of a/b"},
		"a row without a symbol":  {"[a/b]\nX Y Z | a\n", "surfaces.txt: a/b exports no Z"},
		"a package without names": {"[a/b]\nX Y | a\n[c]\nX | a\n", "surfaces.txt: c exports no X"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := parse(c.text)
			if err == nil {
				err = m.covers(all)
			}
			assert.EqualError(t, err, c.problem)
		})
	}
}
