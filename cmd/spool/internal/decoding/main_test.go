package decoding

import (
	"testing"

	"github.com/spoolmedia/spool/cmd/spool/internal/catalog"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/run"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, clitest.Memory...)
}

// tool has the commands that the tests call.
var tool = clitest.Tool{Command(), catalog.Probe(), run.Command()}
