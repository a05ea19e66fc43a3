// Package inputs opens the input files of commands, by path or by URL.
package inputs

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// Stores opens the input files of a command: paths, and URLs of remote stores.
type Stores struct{ *object.Client }

// New returns Stores. It sends no request before a URL is opened.
func New(o object.Options) (Stores, error) {
	c, err := object.New(o)
	return Stores{c}, err
}

// Read returns a sample's bytes.
func Read(ctx context.Context, files source.Source, i int, limits decode.Limits) ([]byte, error) {
	o, err := files.Open(ctx, i)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return spool.ReadAll(ctx, o, nil, limits.MaxBytes)
}

// Object returns a file for decoders that read it in parts.
func (s Stores) Object(name string) spool.Object {
	if !s.Known(name) {
		return spool.File(name)
	}
	return s.At(name)
}
