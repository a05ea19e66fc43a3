package parity

import (
	"testing"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// The page names each key of each JSON object.
func TestPageNamesAllKeys(t *testing.T) {
	clitest.HasKeys(t, "spool parity", comparison{}, report{})
}
