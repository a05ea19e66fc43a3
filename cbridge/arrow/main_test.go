package arrow_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/arrow"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "Arrow exports", Now: arrow.Count})
}
