package source

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Input names one part of each sample of a Records.
type Input struct {
	Name     string
	Value    bool
	Optional bool
}

// MultiSource is a source whose samples have several inputs.
type MultiSource interface {
	Source
	OpenInput(ctx context.Context, i, k int) (spool.Object, error)
}

// OpenRecords is a stub.
func OpenRecords(ctx context.Context, args []string, inputs []Input, o Options) (MultiSource, error) { return nil, nil }
