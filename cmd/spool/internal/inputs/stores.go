// Package inputs opens the files that commands are given, by path or by address.
package inputs

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// Stores is what opens the files of a command: paths, and addresses in stores on the network.
type Stores struct{ *object.Client }

// New makes it. Nothing is asked of anybody before there is an address.
func New(o object.Options) (Stores, error) {
	c, err := object.New(o)
	return Stores{c}, err
}

// Read gives a file's bytes.
func (s Stores) Read(ctx context.Context, name string, limits decode.Limits) ([]byte, error) {
	if !s.Known(name) {
		return Read(ctx, source.Files(name), 0, limits)
	}
	o, err := s.Open(ctx, source.Entry{Address: name})
	return readAll(ctx, o, err, limits)
}

// Read gives a sample's bytes.
func Read(ctx context.Context, files source.Source, i int, limits decode.Limits) ([]byte, error) {
	o, err := files.Open(ctx, i)
	return readAll(ctx, o, err, limits)
}

func readAll(ctx context.Context, o spool.Object, err error, limits decode.Limits) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return source.ReadAll(ctx, o, nil, limits.MaxBytes)
}

// Object is a file for decoders that read it in parts.
func (s Stores) Object(name string) spool.Object {
	if !s.Known(name) {
		return spool.File(name)
	}
	return s.At(name)
}
