package image_test

import (
	"context"
	"os"
	"testing"

	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) {
	if os.Args[0] == helper.Name {
		serveTests()
	}
	leaktest.Main(m, decodetest.Leaks()...)
}

var ctx = context.Background()
