package pack_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/pack"
	"github.com/spoolmedia/spool/source/parquet"
)

// childFolder and childSource are the environment of a process that packs, and is killed.
const (
	childFolder = "SPOOL_TEST_PACK_FOLDER"
	childSource = "SPOOL_TEST_PACK_SOURCE"
	childFormat = "SPOOL_TEST_PACK_FORMAT"
)

// formats are the formats of shards, by their extensions.
var formats = map[string]pack.Format{"tar": {}, "parquet": {Name: "parquet", Create: parquet.NewWriter},
	"arrow": {Name: "arrow", Create: arrow.NewWriter}}

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		ctx := context.Background()
		src, err := source.Open(ctx, []string{os.Getenv(childSource)}, source.Options{})
		if err == nil {
			var client *object.Client
			if client, err = object.New(object.Options{}); err == nil {
				_, err = pack.Write(ctx, src, folder, killed(os.Getenv(childFormat), client))
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	leaktest.Main(m)
}
