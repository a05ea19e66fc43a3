package parity

import (
	"os"
	"testing"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(asPeer); kind != "" {
		fakePeer(kind)
	}
	leaktest.Main(m, clitest.Memory...)
}

// tool has the commands that the tests call.
var tool = clitest.Tool{Command()}
