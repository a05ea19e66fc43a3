package clitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Media are the test files of the module, and shared those beside it. As a test sees them they are at relative paths.
var (
	Media  = filepath.Join(above("go.mod"), "testdata")
	Shared = filepath.Join(above("go.mod"), "../shared/media")
)

// Some of them.
var (
	Photo = Media + "/photos/animal/00.jpg" // 451x300
	Empty = Media + "/hard/bad/empty.jpg"
	Text  = Media + "/hard/bad/text.jpg"
	Good  = Media + "/hard/good/"
	Clip  = Media + "/video/bframes.mp4"
	Song  = Media + "/audio/mp3.mp3"
)

// above is the nearest folder above that has a file of that name; this one where there is none, as for a process elsewhere.
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

// Expected is what Pillow makes of a test file, or the classes that a bad one may be refused with.
type Expected struct {
	Classes []string `json:"classes"`
	Format  string   `json:"format"`
	Mode    string   `json:"mode"`
	Frames  int      `json:"frames"`
	Shape   []int    `json:"shape"`
	SHA256  string   `json:"rgb_sha256"`
}

// Expectations are those of all files in testdata, by their names below it.
func Expectations(t testing.TB) map[string]Expected {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Media, "expected.json"))
	require.NoError(t, err)
	var all map[string]Expected
	require.NoError(t, json.Unmarshal(data, &all))
	require.NotEmpty(t, all)
	return all
}

// Link puts files of testdata into a folder of the test, under names of the test, and gives the folder.
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
