package main

/*
#include "spool.h"
*/
import "C"

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// spool_loader goes through its sources, epoch by epoch. Where it is to go on elsewhere, another run takes the place of the one
// before.
type spool_loader struct {
	loaderOptions
	source source.Source
	remote *object.Client // that it lies in
	cache  *loader.Cache  // nil: none
	disk   *cache.Folder  // nil: none
	device *device
	ledger *ledger
	turn   turn    // of what moves on
	choice *choice // nil: as the options say

	mu     sync.Mutex // guards the rest against those that only look
	run    *loading
	state  loader.State // behind what C has
	before loader.State // behind what it had before the batch that came last
	middle bool         // of an epoch
	failed error        // what ended the run
	tally  tally.Tally
}

// choice is which samples come.
type choice struct {
	sampler func(epoch uint64) order.Sampler
	epochs  int // it holds until here
}

// openLoader finds what the sources hold, and prepares a run.
func openLoader(ctx context.Context, kind string, sources []string, options *C.char) (_ *spool_loader, err error) {
	l := &spool_loader{turn: newTurn(), tally: tally.Begin()}
	if err := readOptions(options, func(set *settings.Set) func() { return l.define(set, kind, sources) }); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.remote, err = object.New(l.Stores); err != nil {
		return nil, err
	}
	if l.disk, err = l.Disk.Open(nil); err != nil { // that nothing more is kept is in the report
		return nil, err
	}
	if l.source, err = l.List(ctx, sources, l.Disk.Remote(l.remote, l.disk)); err != nil {
		return nil, err
	}
	if l.ledger, err = newLedger(l.failures); err != nil {
		return nil, err
	}
	if l.kept > 0 {
		if l.cache, err = loader.NewCache(l.kept); err != nil {
			return nil, err
		}
	}
	if l.device, err = openDevice(l.Device, l.ring); err != nil {
		return nil, err
	}
	return l, l.begin(nil, 0)
}

// begin has another run take the place of the one there is, which stays when it is refused: from states, or from an epoch on.
func (l *spool_loader) begin(from []loader.State, epoch int) error {
	with := l.options(from)
	with.Cache, with.Ledger, with.First = l.cache, l.ledger, epoch
	l.Disk.Keep(&with, l.disk)
	with.Allocator = l.device.allocator()
	if c := l.choice; c != nil {
		with.Sampler, with.Shuffle, with.Epochs = c.sampler, false, min(with.Epochs, c.epochs)
	}
	ld, err := l.Open(l.source, with)
	if err != nil {
		return err
	}
	state, err := ld.State()
	if err != nil { // samples in any order
		state = ld.StateAt(epoch)
	}
	old := l.run
	l.mu.Lock()
	l.run, l.failed, l.state, l.before, l.middle = newLoading(ld, l.device), nil, state, state, state.Taken > 0
	l.mu.Unlock()
	if old != nil {
		return old.Close()
	}
	return nil
}

// next gives the next batch of the epoch, waiting for it so long; io.EOF at its end, and from the last one's end on.
func (l *spool_loader) next(ctx context.Context, wait time.Duration) (got delivery, err error) {
	err = l.turn.take(ctx, func() error {
		if l.failed != nil {
			return l.failed
		}
		d, more, err := l.run.next(ctx, wait)
		if err != nil {
			return cmp.Or(l.device.stuck(), err)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case !more:
			return io.EOF
		case d.err != nil:
			l.failed = d.err
			return d.err
		}
		l.before, l.state, l.middle = l.state, d.state, d.batch != nil
		if d.batch == nil {
			return io.EOF
		}
		l.tally.Add(d.batch)
		got = d
		return nil
	})
	return got, err
}

// start has the next batch be the first of an epoch.
func (l *spool_loader) start(ctx context.Context, epoch int) error {
	return l.turn.take(ctx, func() error {
		if l.failed == nil && !l.middle && l.state.State.Epoch == uint64(epoch) {
			return nil
		}
		return l.begin(nil, epoch)
	})
}

// resume goes on from a state, or from those of all ranks.
func (l *spool_loader) resume(ctx context.Context, text []byte) error {
	var texts []json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		texts = []json.RawMessage{text}
	}
	var states []loader.State
	for _, text := range texts {
		state, err := loader.ParseState(text)
		if err != nil {
			return err
		}
		states = append(states, state)
	}
	return l.turn.take(ctx, func() error { return l.begin(states, 0) })
}

// choose says which samples come: from that epoch on, or of it alone.
func (l *spool_loader) choose(ctx context.Context, sampler func(uint64) order.Sampler, epoch int, alone bool) error {
	return l.turn.take(ctx, func() error {
		before := l.choice
		l.choice = &choice{sampler, math.MaxInt32}
		if alone {
			l.choice.epochs = epoch + 1
		}
		err := l.begin(nil, epoch)
		if err != nil {
			l.choice = before
		}
		return err
	})
}

// loaderInfo is what spool_loader_info gives.
type loaderInfo struct {
	Samples int      `json:"samples"` // of the sources; negative: nobody knows, as they are being listed
	Batches int      `json:"batches"` // of an epoch; negative too
	Epoch   uint64   `json:"epoch"`   // that the next batch is of
	Middle  bool     `json:"middle"`
	Rank    int      `json:"rank"`
	World   int      `json:"world"`
	Classes []string `json:"classes"`
	Device  string   `json:"device"`
	Note    string   `json:"note,omitempty"`    // what is wrong with its memory
	Notices []string `json:"notices,omitempty"` // what the sources hold that is not loaded
}

// look calls do with what is there now.
func (l *spool_loader) look(do func() (any, error)) (any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return do()
}

func (l *spool_loader) info() (any, error) {
	r := l.Options().Rank
	return loaderInfo{Samples: l.source.Len(), Batches: l.run.EpochBatches(), Epoch: l.state.State.Epoch, Middle: l.middle, Rank: r.Index, World: max(1, r.World),
		Classes: l.source.Classes(), Notices: settings.Notices(l.source),
		Device: l.device.Name(), Note: l.device.note()}, nil
}

func (l *spool_loader) report() (any, error) {
	t := l.tally
	t.Take(l.run.Loader)
	t.Remote, t.Cache = tally.RemoteOf(l.remote.Stats()), tally.CacheOf(l.disk)
	t.Failed = l.ledger.failures()
	return t, nil
}

func (l *spool_loader) progress() (any, error) {
	if _, err := l.run.State(); err != nil {
		return nil, err
	}
	return l.state, nil
}

// progressBefore is the progress without the batch that came last.
func (l *spool_loader) progressBefore() (any, error) {
	if _, err := l.run.State(); err != nil {
		return nil, err
	}
	return l.before, nil
}

// Close ends the run and gives up everything but the batches that C holds.
func (l *spool_loader) Close() (err error) {
	if l.run != nil {
		err = l.run.Close()
	}
	if l.device != nil {
		err = errors.Join(err, l.device.Close())
	}
	if l.cache != nil {
		err = errors.Join(err, l.cache.Close())
	}
	if l.ledger != nil {
		err = errors.Join(err, l.ledger.Close())
	}
	if l.disk != nil {
		err = errors.Join(err, l.disk.Close())
	}
	if l.remote != nil {
		err = errors.Join(err, l.remote.Close())
	}
	return err
}
