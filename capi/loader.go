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
	"math"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/contactsheet"
	"github.com/spoolmedia/spool/internal/live"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/internal/thumbnail"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/lerobot"
	"github.com/spoolmedia/spool/source/object"
)

// spool_loader iterates over its sources, epoch by epoch. To continue at another position, it replaces its run by a new
// one.
type spool_loader struct {
	loaderOptions
	kind      string
	source    source.Source
	remote    *object.Client // of the sources
	cache     *loader.Cache  // nil: none
	disk      *cache.Folder  // nil: none
	device    *device
	ledger    *ledger
	failures  metrics.Failures // before the ledger
	traces    traces
	papers    *papers // receipts; nil: none
	page      *live.Live
	viewers   *contactsheet.Viewers // nil: batches cannot be drawn
	endExport func()                // ends sending of metrics; nil: none are sent
	unsent    atomic.Pointer[error] // of the last export
	serial    serial                // of calls that change the position
	selection *selection            // nil: the order of the options

	mu      sync.Mutex // guards the rest against calls that only read
	run     *loaderRun
	state   loader.State // after the last batch that C has
	before  loader.State // before that batch
	inEpoch bool         // the epoch has begun
	past    past
	failed  error // the error that ended the run
	tally   tally.Tally
	records recordInfo // of a loader of records
	handoff handoff
}

// selection is a selection of samples.
type selection struct {
	sampler func(epoch uint64) order.Sampler
	epochs  int // it applies to epochs below this
}

// openLoader lists the sources, and prepares a run.
func openLoader(ctx context.Context, kind string, sources []string, options *C.char) (_ *spool_loader, err error) {
	l := &spool_loader{kind: kind, serial: newSerial(), tally: tally.Begin()}
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
	if l.disk, err = l.DiskCache.Open(nil); err != nil { // the report shows when the disk cache is off
		return nil, err
	}
	if l.source, err = l.List(ctx, sources, l.DiskCache.Remote(l.remote, l.disk)); err != nil {
		return nil, err
	}
	if l.ledger, err = newLedger(l.ledgerPath); err != nil {
		return nil, err
	}
	l.failures.Ledger = l.ledger
	if err = l.traces.open(l.tracePath); err != nil {
		return nil, err
	}
	if l.papers, err = openPapers(l.receipts, l.digests); err != nil {
		return nil, err
	}
	if err = simulate.Create(l.costs); err != nil {
		return nil, err
	}
	if l.cache, err = l.Cache(); err != nil {
		return nil, err
	}
	if l.device, err = openDevice(l.Device, l.ring, l.allocator()); err != nil {
		return nil, err
	}
	if err = l.device.normalize(l.Normalizer); err != nil {
		return nil, err
	}
	if kind != "audio" && contactsheet.Takes(l.Frame) {
		l.viewers = contactsheet.NewViewers(l.Schema())
	}
	if err = l.begin(nil, 0); err != nil {
		return nil, err
	}
	l.records = recordInfo{l.Schema().Outputs(), l.run.Columns()}
	l.observe()
	return l, nil
}

// begin replaces the run by a new one, from states or from the beginning of an epoch. On error the old run stays.
func (l *spool_loader) begin(from []loader.State, epoch int) error {
	with := l.position(from, epoch)
	with.Failures.Ledger = &l.failures
	with.Observer = &l.traces.tap
	recorder := l.record(&with)
	ld, err := l.Open(l.source, with)
	if err != nil {
		return err
	}
	state, err := ld.State()
	if err != nil { // with "order": "any"
		state = ld.StateAt(epoch)
	}
	old, run := l.run, newLoaderRun(ld, l.device, l.Headspace, l.forC, l.offer)
	run.costs, run.costFile, run.stores = recorder, l.costs, l.remote.Stats
	if l.papers != nil {
		run.papers = l.papers.Writer
	}
	run.viewers, run.workers = l.viewers, with.Workers
	l.mu.Lock()
	l.discard()
	l.run, l.failed, l.state, l.before, l.inEpoch = run, nil, state, state, state.Taken > 0
	l.mu.Unlock()
	if old != nil {
		return old.Close()
	}
	return nil
}

func (l *spool_loader) forC(d delivery) (batchForC, error) { return forC(d, l.device, l.records) }

// start makes the next batch the first of an epoch.
func (l *spool_loader) start(ctx context.Context, epoch int) error {
	return l.serial.do(ctx, func() error {
		l.mu.Lock()
		l.settle()
		there := l.failed == nil && !l.inEpoch && l.state.State.Epoch == uint64(epoch)
		l.mu.Unlock()
		if there {
			return nil
		}
		return l.begin(nil, epoch)
	})
}

// resume continues from a state, or from the states of all ranks.
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
	return l.serial.do(ctx, func() error { return l.begin(states, 0) })
}

// choose selects samples for all epochs from epoch on, or for that epoch alone.
func (l *spool_loader) choose(ctx context.Context, sampler func(uint64) order.Sampler, epoch int, alone bool) error {
	return l.serial.do(ctx, func() error {
		before := l.selection
		l.selection = &selection{sampler, math.MaxInt32}
		if alone {
			l.selection.epochs = epoch + 1
		}
		err := l.begin(nil, epoch)
		if err != nil {
			l.selection = before
		}
		return err
	})
}

// loaderInfo is the result of spool_loader_info.
type loaderInfo struct {
	Samples int      `json:"samples"` // of the sources; negative while they are being listed
	Batches int      `json:"batches"` // of an epoch; negative likewise
	Epoch   uint64   `json:"epoch"`   // of the next batch
	Middle  bool     `json:"middle"`
	Rank    int      `json:"rank"`
	World   int      `json:"world"`
	Classes []string `json:"classes"`
	Device  string   `json:"device"`
	Note    string   `json:"note,omitempty"`    // a problem with the batches' memory
	Notices []string `json:"notices,omitempty"` // content of the sources that is not loaded

	LeRobot json.RawMessage `json:"lerobot,omitempty"` // meta/info.json of a LeRobot data set
}

// locked calls do with the mutex locked, when all batches that C has are noted.
func (l *spool_loader) locked(do func() (any, error)) (any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	return do()
}

func (l *spool_loader) info() (any, error) {
	r := l.Options().Sharing.Rank
	var robot json.RawMessage
	if records, ok := l.source.(*lerobot.Records); ok {
		robot = records.Info().Text
	}
	return loaderInfo{LeRobot: robot, Samples: l.source.Len(), Batches: l.run.EpochBatches(), Epoch: l.state.State.Epoch,
		Middle: l.inEpoch, Rank: r.Index, World: max(1, r.World),
		Classes: l.source.Classes(), Notices: settings.AllAs(settings.Notices(l.source), settings.AsKeys),
		Device: l.device.Name(), Note: cmp.Or(l.device.note(), l.sendNote())}, nil
}

func (l *spool_loader) report() (any, error) {
	t := l.tally
	t.Take(l.run.Loader)
	t.LeftOut = tally.LeftOut(l.source)
	t.Remote, t.Cache = tally.RemoteOf(l.remote.Stats()), tally.CacheOf(l.disk)
	t.Failed = l.ledger.failures()
	return t, nil
}

func (l *spool_loader) currentState() (any, error) {
	if _, err := l.run.State(); err != nil {
		return nil, err
	}
	return l.state, nil
}

// stateBefore returns the state before the last batch.
func (l *spool_loader) stateBefore() (any, error) {
	if _, err := l.run.State(); err != nil {
		return nil, err
	}
	return l.before, nil
}

// current returns the loader of the present run.
func (l *spool_loader) current() *loader.Loader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run.Loader
}

// figures returns where the metrics come from. Those of stages and memory begin anew with each run.
func (l *spool_loader) figures() metrics.Source {
	of := metrics.Source{Report: func() stats.Report { return l.current().Report() },
		Memory: func() map[spool.Purpose]spool.Usage { return l.current().Memory() },
		Stores: l.remote.Stats, Failures: &l.failures}
	if l.disk != nil {
		of.Cache = l.disk.Stats
	}
	return of
}

// observe prepares the page, and sends metrics until Close if that is wanted.
func (l *spool_loader) observe() {
	of := l.figures()
	l.page = &live.Live{Title: "spool " + l.kind, Report: of.Report, Memory: of.Memory, Failures: l.ledger.recent.List,
		Remote:    func() *tally.Remote { return tally.RemoteOf(l.remote.Stats()) },
		Thumbnail: l.thumbnail, Traces: true}
	if l.viewers != nil {
		l.page.Sheet = l.viewers.Next
	}
	if l.exporter == nil {
		return
	}
	l.endExport = l.exporter.Start(of, func(err error) { l.unsent.Store(&err) })
}

// sendNote says why the last export of metrics failed; empty if it did not.
func (l *spool_loader) sendNote() string {
	if err := l.unsent.Load(); err != nil && *err != nil {
		return (*err).Error()
	}
	return ""
}

// look returns what is at a path of the loader's page, or its metrics.
func (l *spool_loader) look(ctx context.Context, path string) ([]byte, error) {
	if path == "metrics" {
		return metrics.Text(l.figures()), nil
	}
	if content := l.page.Content(ctx, path); content != nil {
		return content, nil
	}
	return nil, &spool.Error{Op: "look", Class: spool.ErrNotFound, Text: "the page has nothing at " + strconv.Quote(path)}
}

// thumbnail returns a small picture of a bad sample.
func (l *spool_loader) thumbnail(ctx context.Context, id string) []byte {
	d, err := library.decoder(decoderKey{})
	if err != nil {
		return nil
	}
	picture := thumbnail.Of(ctx, d.Set, l.source, id)
	if err := d.release(); err != nil {
		return nil
	}
	return picture
}

// Close ends the run and releases everything except the batches that C holds.
func (l *spool_loader) Close() (err error) {
	if l.endExport != nil {
		l.endExport()
	}
	if l.run != nil {
		err = l.run.Close()
	}
	l.mu.Lock()
	l.discard()
	l.mu.Unlock()
	if l.device != nil {
		err = errors.Join(err, l.device.Close())
	}
	if l.cache != nil {
		err = errors.Join(err, l.cache.Close())
	}
	if l.ledger != nil {
		err = errors.Join(err, l.ledger.Close())
	}
	err = errors.Join(err, l.traces.close(), l.papers.close())
	if l.disk != nil {
		err = errors.Join(err, l.disk.Close())
	}
	if l.remote != nil {
		err = errors.Join(err, l.remote.Close())
	}
	return err
}
