package pack_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// childFolder and childSource are the environment of a process that packs, and is killed.
const (
	childFolder = "SPOOL_TEST_PACK_FOLDER"
	childSource = "SPOOL_TEST_PACK_SOURCE"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		ctx := context.Background()
		src, err := source.Open(ctx, []string{os.Getenv(childSource)}, source.Options{})
		if err == nil {
			_, err = pack.Write(ctx, src, folder, killed)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	leaktest.Main(m)
}
