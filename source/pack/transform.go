package pack

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Transform changes files. The zero value leaves them as they are.
type Transform struct {
	// Name says what Apply does. It is a part of the plan: another name gives other shards.
	Name string
	// Apply returns what is packed in place of a file, and its extension without a dot. A file without an extension means
	// that the given one is packed as it is. Equal files and parts must give equal bytes. All workers call it. Its error
	// ends Write.
	Apply func(ctx context.Context, f File) (data []byte, ext string, err error)
	// MaxBytes is the largest file that is read into memory. 0 means 1 GiB.
	MaxBytes int64
}

// File is a file of a sample that a Transform may change.
type File struct {
	// Object is lent.
	Object spool.Object
	// Ext is its extension without a dot.
	Ext string
	// Input is its number among Options.Members; 0 without them.
	Input int
	// Part is the part of the file that the sample is, of a source.Segmented; nil: the whole file.
	Part *source.Segment

	limit int64
}

// Read reads the file into memory.
func (f File) Read(ctx context.Context) ([]byte, error) {
	return spool.ReadAll(ctx, f.Object, nil, f.limit)
}
