package catalog

import (
	"testing"

	"github.com/spoolmedia/spool/cmd/spool/internal/bench"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/decoding"
	"github.com/spoolmedia/spool/cmd/spool/internal/run"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, clitest.Memory...)
}

// tool has the commands that the tests call.
var tool = clitest.Tool{Probe(), Index(), List(), Pack(), Verify(), Packets(),
	decoding.Command(), run.Command(), bench.Command()}
