package bench

import (
	"testing"

	"github.com/spoolmedia/spool/bench/codec"
	"github.com/spoolmedia/spool/bench/copies"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// The page names each key of each JSON object.
func TestPageNamesAllKeys(t *testing.T) {
	clitest.HasKeys(t, "spool bench images", benched{}, stagesBenched{})
	clitest.HasKeys(t, "spool bench codec", codec.Result{})
	clitest.HasKeys(t, "spool bench transfer", copies.Result{})
}
