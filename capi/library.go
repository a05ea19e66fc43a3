package main

// #include "entry.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/isolate"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/gcpercent"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/object"
)

// keptBytes is the memory that is kept for reuse for results: enough for a few batches.
const keptBytes = 128 << 20

// library is the state that all handles share.
var library = newShared()

// The library has a Go runtime of its own. net/http logs what it cannot return, and stderr belongs to the program.
func init() { //nolint:gochecknoinits // there is no main that could do it
	log.SetOutput(io.Discard) //nolint:forbidigo // see above
	gcpercent.Set(cores.Count())
}

// helper is the program of helper processes: the one beside the library, or the one that the user has named.
func helper() string {
	beside := filepath.Join(filepath.Dir(C.GoString(C.spool_entry_file())), "spool-helper")
	return cmp.Or(os.Getenv("SPOOL_HELPER"), beside)
}

//export goHelper
func goHelper() C.int32_t {
	if err := isolate.Serve(video.HelperTasks(), audio.HelperTasks()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// shared is memory for results, and decoders.
type shared struct {
	results *spool.Pool // without a limit: the caller decides how many results it holds
	tables  resize.Tables

	mu       sync.Mutex
	decoders map[decoderKey]*decoder
}

// decoderKey identifies a decoder: its options, and the options of requests to stores.
type decoderKey struct {
	decode decoders.Options
	stores object.Options
}

// decoder is a decoder that several handles share. It is closed with the last of them.
type decoder struct {
	*decoders.Set
	stores *object.Client
	key    decoderKey
	users  int
}

func newShared() *shared {
	// Mmap also under the race detector, because C must not hold memory of the Go heap.
	results, err := spool.NewPool(spool.PoolOptions{MaxBytes: math.MaxInt64, MaxKept: keptBytes, Allocator: spool.Mmap{}})
	if err != nil {
		panic(err) // its options are constants
	}
	return &shared{results: results, decoders: map[decoderKey]*decoder{}}
}

// decoder returns the decoder for a key. The caller must release it.
func (s *shared) decoder(key decoderKey) (*decoder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.decoders[key]
	if d == nil {
		stores, err := object.New(key.stores)
		if err != nil {
			return nil, err
		}
		with := key.decode
		with.Pool, with.Tables = s.results, &s.tables
		made, err := decoders.New(with)
		if err != nil {
			return nil, errors.Join(err, stores.Close())
		}
		d = &decoder{Set: made, stores: stores, key: key}
		s.decoders[key] = d
	}
	d.users++
	return d, nil
}

// release gives up one use of the decoder, and closes it after its last user.
func (d *decoder) release() error {
	library.mu.Lock()
	defer library.mu.Unlock()
	if d.users--; d.users > 0 {
		return nil
	}
	delete(library.decoders, d.key)
	return errors.Join(d.Close(), d.stores.Close())
}
