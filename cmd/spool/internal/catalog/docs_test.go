package catalog

import (
	"testing"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/probed"
)

// The page names each key of each JSON object.
func TestPageNamesAllKeys(t *testing.T) {
	clitest.HasKeys(t, "spool probe", probed.File{})
	clitest.HasKeys(t, "spool index", indexed{})
}
