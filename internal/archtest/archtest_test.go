package archtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestArchitecture checks the real tree.
func TestArchitecture(t *testing.T) {
	all := packages(t)
	require.Greater(t, len(all), 10, "go list found too little")
	report := func(name string, wrong []string) {
		t.Run(name, func(t *testing.T) {
			for _, w := range wrong {
				t.Error(w)
			}
		})
	}
	report("table", checkTable(table))
	report("imports", checkImports(table, all))
	report("docs", checkDocs(all))
	report("promises", checkPromises(all))
	report("leaks", checkLeaks(all))
	report("skips", checkSkips(all))
	report("reduced", checkReduced(tables(t), all))
	report("fuzzing", checkFuzzing(all, readLedger(t)))
	report("lengths", checkLengths(lineCounts(t, root), long))
	report("folders", checkFolders(all))
}

// tables lists the folders that run with the race detector only with -short.
func tables(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\nTABLES := ")
	require.True(t, found)
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Fields(line)
}

// readLedger reads how many inputs each fuzz target has survived.
func readLedger(t *testing.T) map[string]survived {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "testdata", "fuzz-ledger.json"))
	require.NoError(t, err)
	var ledger map[string]survived
	require.NoError(t, json.Unmarshal(text, &ledger))
	return ledger
}

func TestTables(t *testing.T) {
	for _, folder := range tables(t) {
		require.DirExists(t, filepath.Join(root, folder))
	}
	require.Contains(t, tables(t), "decode")
}

// TestTreeIsSeen checks that the checks see the packages and files of the tree.
func TestTreeIsSeen(t *testing.T) {
	byPath := map[string]pkg{}
	for _, p := range packages(t) {
		byPath[p.path] = p
	}
	imports := func(path, name string) []string {
		for _, f := range byPath[path].files {
			if f.path == name {
				return f.imports
			}
		}
		t.Errorf("%s is not seen", name)
		return nil
	}
	assert.Contains(t, imports(".", "buffer.go"), module+"/internal/invariants")
	assert.Contains(t, imports("cbridge/mem", "cbridge/mem/mem.go"), "C")
	imports("internal/invariants", "internal/invariants/on.go") // needs a build tag
	imports("internal/invariants", "internal/invariants/off.go")
	assert.Positive(t, byPath["order"].examples)
	assert.Contains(t, byPath["order"].doc, "Package order")

	lines := lineCounts(t, root)
	assert.Greater(t, lines["pool.go"], 100)
	assert.Greater(t, lines["cbridge/jpeg/decode.c"], 10)
}

// TestImagesOnly checks that a program that decodes images links neither FFmpeg nor a network client nor a shell
// parser.
func TestImagesOnly(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "./decode/image")
	list.Dir = root
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	linked := strings.Fields(string(out))
	require.Contains(t, linked, module+"/cbridge/jpeg")
	for _, path := range linked {
		for _, unwanted := range []string{"net/http", module + "/cbridge/av", module + "/source", module + "/decode/video",
			module + "/decode/audio",
			"github.com/asticode/go-astiav", "mvdan.cc/sh"} {
			assert.False(t, inModule(unwanted, path), "decode/image links %s", path)
		}
	}
}
