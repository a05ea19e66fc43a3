package archtest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var include = regexp.MustCompile(`(?m)^(?://)? *#include "([^"/]+)"`)

// TestHeaders checks links to headers. go build notices a changed header only in the folder of the package that
// includes it, so there is a link to each header of another package. Module archives contain no links, so flags name
// the other folder for them.
func TestHeaders(t *testing.T) {
	links := 0
	for _, p := range packages(t) {
		folder := filepath.Join(root, p.path)
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		there := map[string]bool{"_cgo_export.h": true}
		for _, e := range entries {
			there[e.Name()] = true
			if e.Type() == os.ModeSymlink {
				links++
			}
		}
		for _, e := range entries {
			switch ext := filepath.Ext(e.Name()); {
			case ext != ".c" && ext != ".h" && ext != ".go", strings.HasSuffix(e.Name(), "_test.go"):
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			require.NoError(t, err)
			if !bytes.Contains(text, []byte(`#include "`)) {
				continue // the expression takes long
			}
			for _, m := range include.FindAllSubmatch(text, -1) {
				assert.True(t, there[string(m[1])], "%s/%s includes %s of another folder: link it", p.path, e.Name(), m[1])
			}
		}
	}
	assert.NotZero(t, links)
}
