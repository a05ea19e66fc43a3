package short

import (
	"testing"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
