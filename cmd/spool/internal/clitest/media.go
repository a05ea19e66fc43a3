package clitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Media is the folder of the module's test files, and Shared that of the wider collection next to the module. For tests
// both are relative paths.
var (
	Media  = filepath.Join(above("go.mod"), "testdata")
	Shared = filepath.Join(above("go.mod"), "../shared/media")
)

// Some test files.
var (
	Photo = Media + "/photos/animal/00.jpg" // 451x300
	Empty = Media + "/hard/bad/empty.jpg"
	Text  = Media + "/hard/bad/text.jpg"
	Good  = Media + "/hard/good/"
	Clip  = Media + "/video/bframes.mp4"
	Song  = Media + "/audio/mp3.mp3"
)

// above returns the nearest folder above with a file of that name; "." if there is none, as in a process elsewhere.
func above(name string) string {
	folder := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return folder
		}
		folder = filepath.Join(folder, "..")
	}
	return "."
}

// Expected is what Pillow decodes from a test file, or the error classes that a bad one may have.
type Expected struct {
	Classes []string `json:"classes"`
	Format  string   `json:"format"`
	Mode    string   `json:"mode"`
	Frames  int      `json:"frames"`
	Shape   []int    `json:"shape"`
	SHA256  string   `json:"rgb_sha256"`
}

// Expectations returns those of all files in testdata, by their names below it.
func Expectations(t testing.TB) map[string]Expected {
	t.Helper()
	return recorded[Expected](t, filepath.Join(Media, "expected.json"))
}

// recorded reads what other loaders have given for files.
func recorded[T any](t testing.TB, path string) (all map[string]T) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all)
	return all
}

// Link creates a folder with links to files of testdata, under the given names.
func Link(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, target := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		target, err := filepath.Abs(filepath.Join(Media, target))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(target, path))
	}
	return folder
}
