package main

import (
	"errors"
	"math"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/object"
)

// keptBytes is how much memory waits to be used again, for results and for files that are read: enough for a few batches.
const keptBytes = 128 << 20

// library is what all handles share.
var library = newShared()

// shared is memory for results, and decoders.
type shared struct {
	results *spool.Pool // without a ceiling: who holds many results has asked for them
	tables  resize.Tables

	mu       sync.Mutex
	decoders map[needs]*decoder
}

// needs is what a decoder is made for: how it decodes, and how stores on the network are asked for files.
type needs struct {
	decode decode.Options
	stores object.Options
}

// decoder is one that several handles use, as long as one of them does.
type decoder struct {
	*decode.Decoder
	stores *object.Client
	needs  needs
	users  int
}

func newShared() *shared {
	// Mmap under the race detector as well: C may not hold memory of the Go heap.
	results, err := spool.NewPool(spool.PoolOptions{MaxBytes: math.MaxInt64, MaxKept: keptBytes, Allocator: spool.Mmap{}})
	if err != nil {
		panic(err) // its options are constants
	}
	return &shared{results: results, decoders: map[needs]*decoder{}}
}

// decoder gives the decoder for some needs. It is given up by leave.
func (s *shared) decoder(n needs) (*decoder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.decoders[n]
	if d == nil {
		stores, err := object.New(n.stores)
		if err != nil {
			return nil, err
		}
		with := n.decode
		with.Pool, with.Tables = s.results, &s.tables
		made, err := decode.New(with)
		if err != nil {
			return nil, errors.Join(err, stores.Close())
		}
		d = &decoder{Decoder: made, stores: stores, needs: n}
		s.decoders[n] = d
	}
	d.users++
	return d, nil
}

// leave closes the decoder with its last user.
func (d *decoder) leave() error {
	library.mu.Lock()
	defer library.mu.Unlock()
	if d.users--; d.users > 0 {
		return nil
	}
	delete(library.decoders, d.needs)
	return errors.Join(d.Close(), d.stores.Close())
}
