package isolate_test

import (
	"testing"

	"github.com/spoolmedia/spool/decode/isolate"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	isolate.Main()
	leaktest.Main(m)
}
