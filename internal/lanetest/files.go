package lanetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// Goldens returns the references of the files in testdata, by name, as recorded by the lane's gen.py.
func Goldens[T any](t testing.TB) map[string]T {
	t.Helper()
	var file struct{ Files map[string]T }
	require.NoError(t, json.Unmarshal(Read(t, "golden.json"), &file))
	require.NotEmpty(t, file.Files)
	return file.Files
}

// Read reads a file of testdata.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

// ReadAll reads the files of testdata that are the keys of a map, in order of their names.
func ReadAll[T any](t testing.TB, files map[string]T) (all [][]byte) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, Read(t, name))
	}
	return all
}

// Digest returns the SHA-256 of pixels in the format of the references.
func Digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}

// Shared is Pillow's result for a file of the shared media, with its orientation applied.
type Shared struct {
	Kind, Mode string
	Frames     int
	Shape      [3]int // height, width, channels
	SHA256     string `json:"rgb_sha256"`
}

// SharedMedia returns the images of the shared media that have a reference and one of the extensions, with the dot.
func SharedMedia(t *testing.T, extensions ...string) map[string]Shared {
	t.Helper()
	index, err := os.ReadFile(need.Media(t, "expected", "index.json"))
	require.NoError(t, err)
	var all map[string]Shared
	require.NoError(t, json.Unmarshal(index, &all))
	maps.DeleteFunc(all, func(name string, s Shared) bool {
		return s.SHA256 == "" || !slices.Contains(extensions, filepath.Ext(name))
	})
	return all
}

// ReadShared reads a file of the shared media.
func ReadShared(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(need.Media(t, name))
	require.NoError(t, err)
	return data
}
