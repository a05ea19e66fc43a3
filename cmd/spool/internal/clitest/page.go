package clitest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Sections returns the sections of docs/command.md, by their headings.
func Sections(t testing.TB) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(above("go.mod"), "docs/command.md"))
	require.NoError(t, err)
	all := map[string]string{}
	for part := range strings.SplitSeq(string(page), "\n## ") {
		heading, body, _ := strings.Cut(part, "\n")
		all[heading] = body
	}
	return all
}

// keysOf returns the JSON keys of a struct and of the structs in it.
func keysOf(kind reflect.Type) (keys []string) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct {
		return nil
	}
	for field := range kind.Fields() {
		if key, _, _ := strings.Cut(field.Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(append(keys, key), keysOf(field.Type)...)
		}
	}
	return keys
}

// HasKeys checks that the section names each key of these objects.
func HasKeys(t *testing.T, heading string, objects ...any) {
	t.Helper()
	page := Sections(t)
	for _, o := range objects {
		keys := keysOf(reflect.TypeOf(o))
		require.NotEmpty(t, keys)
		for _, key := range keys {
			assert.Contains(t, page[heading], "`"+key+"`", heading)
		}
	}
}
