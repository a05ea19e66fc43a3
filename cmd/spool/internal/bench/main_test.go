package bench

import (
	"testing"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/decoding"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, clitest.Memory...)
}

// tool has the commands that the tests call.
var tool = clitest.Tool{Command(), decoding.Command()}
