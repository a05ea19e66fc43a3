package run

import (
	"context"
	"errors"
	"slices"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/failures"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/cmd/spool/internal/page"
	"github.com/spoolmedia/spool/internal/receipt"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
)

// resources is the resources of a run, which close releases.
type resources struct {
	remote inputs.Stores
	disk   *cache.Folder // nil if there is none
	memory *loader.Cache // nil if there is none
	source source.Source
	bad    *failures.Ledger
	first  *sheet
	about  *page.Page

	receipts *receipt.Writer // nil without receipts
	costs    *costs.Recorder // nil without costs
	ends     []func() error  // called in reverse order
}

func (h *resources) close() (err error) {
	for _, end := range slices.Backward(h.ends) {
		cli.Closing(&err, end)
	}
	return err
}

// open lists what is to be loaded, and creates the files that the run writes.
func (h *resources) open(ctx context.Context, r *run) (err error) {
	if h.remote, err = inputs.New(r.Stores); err != nil {
		return err
	}
	h.ends = append(h.ends, h.remote.Close)
	console := output.NewConsole(r.stderr)
	h.disk, err = r.DiskCache.Open(func(err error) { console.Line("spool: " + output.OneLine(err.Error())) })
	if err != nil {
		return err
	}
	if h.disk != nil {
		h.ends = append(h.ends, h.disk.Close)
	}
	if h.memory, err = r.Cache(); err != nil {
		return err
	}
	if h.memory != nil {
		h.ends = append(h.ends, h.memory.Close)
	}
	if h.source, err = r.List(ctx, r.sources, r.DiskCache.Remote(h.remote, h.disk)); err != nil {
		return err
	}
	if h.bad, err = failures.New(console, r.ledger); err != nil {
		return err
	}
	h.ends = append(h.ends, h.bad.Close)
	h.note()
	if h.first, err = newSheet(ctx, r.sheet); err != nil {
		return err
	}
	h.first.schema = r.Schema()
	h.ends = append(h.ends, h.first.close)
	if h.about, err = page.New(r.page, r.arguments); err != nil {
		return err
	}
	h.ends = append(h.ends, h.about.Close)
	return h.openReceipts(r)
}

// openReceipts creates the file of receipts, if one is wanted.
func (h *resources) openReceipts(r *run) error {
	if r.receipts == "" {
		return nil
	}
	file, err := output.Create(r.receipts)
	if err != nil {
		return err
	}
	if h.receipts, err = receipt.NewWriter(file, r.receipts, r.arguments, r.digests); err != nil {
		return file.Finish(err)
	}
	h.ends = append(h.ends, func() error { return file.Finish(h.receipts.Close()) })
	return nil
}

// note prints notices about the listing.
func (h *resources) note() {
	for _, notice := range settings.AllAs(settings.Notices(h.source), settings.AsFlags) {
		h.bad.Note("spool: " + notice)
	}
	if listing, ok := h.source.(*source.Listing); ok {
		if skipped := listing.Skipped().String(); skipped != "" {
			h.bad.Note("spool: skipped in folders: " + skipped)
		}
	}
}

// load opens the sources and creates their loader.
func (h *resources) load(ctx context.Context, r *run) (*loader.Loader, error) {
	if err := h.open(ctx, r); err != nil {
		return nil, err
	}
	options := r.Options()
	return h.loader(r, &options)
}

// loader creates the loader, and opens the destination of its batches.
func (h *resources) loader(r *run, options *loader.Options) (ld *loader.Loader, err error) {
	r.serving.failures.Ledger = h.bad
	options.Failures.Ledger = &r.serving.failures
	options.Stalls.Watch.Tell = tellStuck(h.bad.Console)
	h.bad.Silent = options.OnError == loader.Fail
	if err := r.progress.begin(); err != nil {
		return nil, err
	}
	if options.Resume, err = r.progress.read(); err != nil {
		return nil, err
	}
	if options.Allocator, err = r.device.open(r.Device); err != nil {
		return nil, err
	}
	h.ends = append(h.ends, r.device.close)
	end, err := r.trace.begin(options, r.serving.live != "", h.bad.Console)
	if err != nil {
		return nil, err
	}
	h.ends = append(h.ends, end)
	if r.costs != "" {
		if err := simulate.Create(r.costs); err != nil {
			return nil, err
		}
		h.costs = simulate.Record(options)
	}
	options.Caches.Memory = h.memory
	r.DiskCache.Keep(options, h.disk)
	if ld, err = r.Open(h.source, *options); err != nil {
		return nil, err
	}
	warning, err := r.device.begin(r.Normalizer)
	if err != nil {
		return nil, errors.Join(err, ld.Close())
	}
	if warning != "" {
		h.bad.Note(warning)
	}
	return ld, nil
}
