package loader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source"
)

// WindowOptions are the settings of Windows.
type WindowOptions struct {
	// Seconds is the length of a window.
	Seconds float64
	// Input is the input of records whose videos have the windows.
	Input int
	// Open chooses the stream of a video, and where its index is saved.
	Open video.OpenOptions
	// Limits bound the resources for one file.
	Limits decode.Limits
	// Workers is how many videos are opened concurrently. 0 means one per core, and 16 for remote sources.
	Workers int
}

// Windows returns a source with a sample for each window of the videos of another one: all clips of each video, in
// order. Windows follow each other from the first frame on, and the last one of a video may be shorter. Windows in
// which no frame begins are left out. A sample that is a segment of a video has the windows of that segment. The
// samples of the result have the name, key and label of their video, and an ID and random numbers of their own. For
// records, fields of video and audio without Start and End have the window as theirs, and the result is a
// source.RecordSource.
//
// The windows depend on the videos only, so states resume; of other windows, a state is refused. Windows opens every
// video to read its index, which costs a scan of the file unless the container has a table of its packets, or the
// index was saved (see video.Video.SaveIndex). A video that cannot be opened is one sample with that error. A window
// takes 24 bytes of memory. Errors are ErrOptions, and the end of ctx.
func Windows(ctx context.Context, src source.Listed, o WindowOptions) (_ source.Segmented, err error) {
	var bad invalid.Options
	if !(o.Seconds > 0) || math.IsInf(o.Seconds, 1) {
		bad.Value("Seconds", o.Seconds, "must be a length above 0")
	}
	notNegative(&bad, "Workers", o.Workers)
	bad.Add(o.Open.Validate())
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		if o.Workers = cores.Count(); src.Remote() {
			o.Workers = 16
		}
	}
	d, err := decoders.New(decoders.Options{Limits: o.Limits})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	w := &windows{Listed: src, failed: map[int]error{}}
	if err := w.find(ctx, d, o); err != nil {
		return nil, err
	}
	if records, ok := src.(*source.Records); ok {
		return &recordWindows{w, records}, nil
	}
	return w, nil
}

// windows is a source of windows.
type windows struct {
	source.Listed
	all    []window
	failed map[int]error // videos that could not be opened
}

// window is a sample.
type window struct {
	video      int
	start, end float64
}

// find finds the windows of all videos.
func (w *windows) find(ctx context.Context, d *decoders.Set, o WindowOptions) error {
	found := make([][]window, w.Listed.Len())
	var (
		group sync.WaitGroup
		mu    sync.Mutex // of failed
		next  = make(chan int)
	)
	for range o.Workers {
		group.Go(func() {
			for i := range next {
				all, err := w.of(ctx, d, o, i)
				if err != nil {
					all = []window{{video: i}}
					mu.Lock()
					w.failed[i] = err
					mu.Unlock()
				}
				found[i] = all
			}
		})
	}
	for i := 0; i < len(found) && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return spool.FileError("list", "", err)
	}
	for _, all := range found {
		w.all = append(w.all, all...)
	}
	return nil
}

// of returns the windows of video i.
func (w *windows) of(ctx context.Context, d *decoders.Set, o WindowOptions, i int) (all []window, err error) {
	var object spool.Object
	part := &source.Segment{Start: math.Inf(-1), End: math.Inf(1)}
	if src, ok := w.Listed.(source.Segmented); ok {
		switch given, err := src.Segment(ctx, i); {
		case err != nil:
			return nil, err
		case given != nil:
			part = given
		}
	}
	if src, ok := w.Listed.(source.RecordSource); ok {
		object, err = src.OpenInput(ctx, i, o.Input)
	} else {
		object, err = w.Listed.Open(ctx, i)
	}
	if err != nil {
		return nil, err
	}
	if object == nil {
		return nil, &spool.Error{Op: "list", File: w.Listed.Item(i).Name, Class: spool.ErrNotFound,
			Text: "the sample lacks the video"}
	}
	defer func() { err = errors.Join(err, object.Close()) }()
	open := o.Open
	open.Workers = 1
	if part.Stream != nil {
		open.Stream, open.Language = part.Stream, ""
	}
	v, err := d.Videos.Open(ctx, object, open)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	x := v.Index()
	if x == nil || x.Len() == 0 {
		return nil, &spool.Error{Op: "list", File: w.Listed.Item(i).Name, Class: spool.ErrEmpty, Text: "has no frame"}
	}
	begin, end := max(part.Start, x.Time(0)), min(part.End, x.End(x.Len()-1))
	for k := 0; ; k++ {
		start := begin + float64(k)*o.Seconds
		if start > end-index.Slack {
			return all, nil
		}
		stop := min(begin+float64(k+1)*o.Seconds, end)
		if _, _, err := x.Segment(start, stop, index.Slack); err == nil {
			all = append(all, window{i, start, stop})
		}
	}
}

// Len returns the number of windows.
func (w *windows) Len() int { return len(w.all) }

// Item describes the video of window i.
func (w *windows) Item(i int) source.Item {
	item := w.Listed.Item(w.all[i].video)
	item.ID = int64(i)
	return item
}

// Open opens the video of window i.
func (w *windows) Open(ctx context.Context, i int) (spool.Object, error) {
	return w.Listed.Open(ctx, w.all[i].video)
}

// Segment returns window i.
func (w *windows) Segment(ctx context.Context, i int) (*source.Segment, error) {
	at := w.all[i]
	if err := w.failed[at.video]; err != nil {
		return nil, err
	}
	part := &source.Segment{Start: at.start, End: at.end}
	if src, ok := w.Listed.(source.Segmented); ok {
		given, err := src.Segment(ctx, at.video)
		if err != nil {
			return nil, err
		}
		if given != nil {
			part.Stream = given.Stream
		}
	}
	return part, nil
}

// Counts returns the number of windows of each argument.
func (w *windows) Counts() []int {
	counts := w.Listed.Counts()
	end, at := 0, 0
	for a, n := range counts {
		begin := at
		for end += n; at < len(w.all) && w.all[at].video < end; {
			at++
		}
		counts[a] = at - begin
	}
	return counts
}

// Selection identifies the windows.
func (w *windows) Selection() string {
	sum := sha256.New()
	fmt.Fprintln(sum, w.Listed.Selection())
	for _, at := range w.all {
		fmt.Fprintln(sum, at.video, at.start, at.end)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// recordWindows is windows of records.
type recordWindows struct {
	*windows
	records *source.Records
}

// OpenInput opens input k of the record of window i.
func (w *recordWindows) OpenInput(ctx context.Context, i, k int) (spool.Object, error) {
	return w.records.OpenInput(ctx, w.all[i].video, k)
}

// Format returns the type of a column, as source.Records.Format does.
func (w *recordWindows) Format(input int) (format, element string) { return w.records.Format(input) }
