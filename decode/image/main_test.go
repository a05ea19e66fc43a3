package image_test

import (
	"context"
	"testing"

	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

const (
	media  = "../../testdata"
	shared = "../../../shared/media"
)

func TestMain(m *testing.M) { leaktest.Main(m, decodetest.Leaks()...) }

var ctx = context.Background()
