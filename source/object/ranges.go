package object

import (
	"context"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool/source"
)

// ReadRanges fills pieces of the object, side by side, in the caller's memory. Neighbours make one request where what lies
// between them costs less than a request: up to 8 KiB always; up to what a connection carries in one latency (at
// most 256 KiB), as long as that is no more than a sixteenth of what is wanted. It is safe for concurrent use.
func (o *Object) ReadRanges(ctx context.Context, ranges []source.Range) error {
	if err := o.open(); err != nil {
		return err
	}
	sorted := slices.Clone(ranges)
	slices.SortStableFunc(sorted, func(a, b source.Range) int { return int(min(max(a.Off-b.Off, -1), 1)) })
	sorted = slices.DeleteFunc(sorted, func(r source.Range) bool { return len(r.Bytes) == 0 })
	var wanted int64
	for _, r := range sorted {
		if r.Off < 0 {
			return o.beforeBeginning()
		}
		if r.Off+int64(len(r.Bytes)) > o.entry.Size {
			return io.EOF
		}
		wanted += int64(len(r.Bytes))
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, run := range merge(sorted, o.host.worth(), wanted/16, int64(o.host.options.Part)) {
		group.Go(func() error {
			_, err := o.parts(ctx, run.memory, run.off)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fail("read", o.entry.Address, err)
	}
	return nil
}

// always is the gap that costs less than a request whatever the network: some headers, and 100 us of the client's time.
const always = 8 << 10

// run is what one request asks for. Its gaps go to memory that nobody reads.
type run struct {
	off    int64
	memory scatter
}

// merge makes runs of sorted ranges: over gaps of up to gap bytes, as long as those of more than a few are together at most
// spare, and up to most bytes.
func merge(sorted []source.Range, gap, spare, most int64) []run {
	var runs []run
	var unread []byte // of the last run: requests may not share it
	end := int64(0)
	for i, r := range sorted {
		between := r.Off - end
		near := between <= always || (between <= gap && between <= spare)
		if i == 0 || between < 0 || !near || r.Off+int64(len(r.Bytes))-runs[len(runs)-1].off > most {
			runs = append(runs, run{off: r.Off, memory: scatter{r.Bytes}})
			unread = nil
		} else {
			if between > always {
				spare -= between
			}
			last := &runs[len(runs)-1]
			if between > 0 {
				if int64(len(unread)) < between {
					unread = make([]byte, between)
				}
				last.memory = append(last.memory, unread[:between])
			}
			last.memory = append(last.memory, r.Bytes)
		}
		end = r.Off + int64(len(r.Bytes))
	}
	return runs
}
