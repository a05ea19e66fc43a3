package main

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// stores is what opens the files of a command: paths, and addresses in stores on the network.
type stores struct{ *object.Client }

// newStores makes it. Nothing is asked of anybody before there is an address.
func newStores(o object.Options) (stores, error) {
	c, err := object.New(o)
	return stores{c}, err
}

// read gives a file's bytes.
func (s stores) read(ctx context.Context, name string, limits decode.Limits) ([]byte, error) {
	if !s.Known(name) {
		return read(ctx, source.Files(name), 0, limits)
	}
	o, err := s.Open(ctx, source.Entry{Address: name})
	return readAll(ctx, o, err, limits)
}

// read gives a sample's bytes.
func read(ctx context.Context, files source.Source, i int, limits decode.Limits) ([]byte, error) {
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

// object is a file for decoders that read it in parts.
func (s stores) object(name string) spool.Object {
	if !s.Known(name) {
		return spool.File(name)
	}
	return s.At(name)
}
