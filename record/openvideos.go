package record

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/invalid"
)

// OpenVideosOptions are the limits of OpenVideos.
type OpenVideosOptions struct {
	// Max is the largest number of videos that are kept open while no record needs them. 0 means 128.
	Max int
	// MaxBytes limits the memory of their decoders, as estimated from the size of frames. 0 means 1 GiB.
	MaxBytes int64
}

// OpenVideos keeps videos open for later records with parts of the same files: the rows of a table with one row for
// each segment of a file. Opening a file and its first decoded frame cost more than most segments. The videos that were
// unused for the longest time are closed beyond the limits. It serves the records of one Plan, or the samples of one
// loader of video, and is safe for concurrent use. A video is used by one sample at a time; samples that need the same
// file at once each open it.
type OpenVideos struct {
	options OpenVideosOptions

	mu     sync.Mutex
	closed bool
	idle   *list.List // of *OpenVideo, the latest at the front
	bytes  int64      // estimate for those in idle
	stats  OpenVideosStats
}

// OpenVideosStats are the counters of OpenVideos.
type OpenVideosStats struct {
	Opened, Reused int64 // videos that were opened, and uses of one that was open
	Idle           int   // videos that are kept
	Bytes          int64 // estimated memory of their decoders
}

// OpenVideo is a video with its file, used by one sample or kept.
type OpenVideo struct {
	*video.Video
	object spool.Object // owned; nil if the record's object is lent
	key    videoKey
	home   *OpenVideos // nil: it is not kept
	bytes  int64
	failed bool // an error left its decoder in an unknown state
}

// videoKey distinguishes the open videos of a plan.
type videoKey struct {
	identity string
	field    string // fields may differ in their options
	stream   int    // that the options name; -1: none
}

// NewOpenVideos returns a cache without videos. Its owner calls Close. Errors are ErrOptions.
func NewOpenVideos(o OpenVideosOptions) (*OpenVideos, error) {
	var bad invalid.Options
	if o.Max < 0 {
		bad.Value("Max", o.Max, "must not be negative")
	}
	if o.MaxBytes < 0 {
		bad.Value("MaxBytes", o.MaxBytes, "must not be negative")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if o.Max == 0 {
		o.Max = 128
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	return &OpenVideos{options: o, idle: list.New()}, nil
}

// Open returns a video of an object's file: one that is kept, or else a new one. Videos are told apart by the identity
// of the object and by Stream; other options must always be the same. A nil OpenVideos keeps none.
//
//	Ownership: the object is handed over, also on errors. The caller returns the video with Return, before Close of d.
//	Errors:    those of video.Decoder.Open.
func (o *OpenVideos) Open(ctx context.Context, d *video.Decoder, object spool.Object,
	options video.OpenOptions) (*OpenVideo, error) {
	key := keyOf(object, "", options)
	if v := o.find(key); v != nil {
		object.Close()
		return v, nil
	}
	v, err := open(ctx, d, object, options)
	if err != nil {
		object.Close()
		return nil, err
	}
	v.object = object
	o.add(v, key)
	return v, nil
}

// Return gives the video back to those that it is from, which keep it unless err is an error of decoding it. The caller
// may no longer use it.
func (v *OpenVideo) Return(err error) error {
	v.failed = v.failed || err != nil
	if v.home == nil {
		return v.close()
	}
	return v.home.keep(v)
}

// keyOf returns what distinguishes a video that is opened for a field.
func keyOf(object spool.Object, field string, o video.OpenOptions) videoKey {
	key := videoKey{object.Info().Identity, field, -1}
	if o.Stream != nil {
		key.stream = *o.Stream
	}
	return key
}

// add makes a video that was just opened one that can be kept.
func (o *OpenVideos) add(v *OpenVideo, key videoKey) {
	if o == nil {
		return
	}
	v.key, v.home = key, o
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stats.Opened++
}

// find returns a kept video of a file for one sample, or nil.
func (o *OpenVideos) find(key videoKey) *OpenVideo {
	if o == nil || key.identity == "" {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for e := o.idle.Front(); e != nil; e = e.Next() {
		if v := e.Value.(*OpenVideo); v.key == key {
			o.idle.Remove(e)
			o.bytes -= v.bytes
			o.stats.Reused++
			return v
		}
	}
	return nil
}

// keep takes back a video that a sample has used.
func (o *OpenVideos) keep(v *OpenVideo) error {
	o.mu.Lock()
	if o.closed || v.failed || v.key.identity == "" {
		o.mu.Unlock()
		return v.close()
	}
	o.idle.PushFront(v)
	o.bytes += v.bytes
	var evicted []*OpenVideo
	for o.idle.Len() > o.options.Max || o.bytes > o.options.MaxBytes {
		e := o.idle.Back()
		old := o.idle.Remove(e).(*OpenVideo)
		o.bytes -= old.bytes
		evicted = append(evicted, old)
	}
	o.mu.Unlock()
	var err error
	for _, old := range evicted { // without the lock: closing a decoder takes time
		err = errors.Join(err, old.close())
	}
	return err
}

// Stats returns the counters.
func (o *OpenVideos) Stats() OpenVideosStats {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats
	s.Idle, s.Bytes = o.idle.Len(), o.bytes
	return s
}

// Close closes the videos that are kept, and later those that records still use. Further calls do nothing.
func (o *OpenVideos) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	var err error
	for e := o.idle.Front(); e != nil; e = e.Next() {
		err = errors.Join(err, e.Value.(*OpenVideo).close())
	}
	o.idle.Init()
	o.bytes = 0
	return err
}

// close closes the video and its file.
func (v *OpenVideo) close() error {
	err := v.Video.Close()
	if v.object != nil {
		err = errors.Join(err, v.object.Close())
	}
	return err
}

// framesHeld is how many frames an open decoder is taken to hold: references, and those in its threads.
const framesHeld = 16

// open opens a video. The object is lent until its Close.
func open(ctx context.Context, d *video.Decoder, object spool.Object, o video.OpenOptions) (*OpenVideo, error) {
	v, err := d.Open(ctx, object, o)
	if err != nil {
		return nil, err
	}
	info := v.Info()
	sample := int64(1)
	if info.Bits > 8 {
		sample = 2
	}
	return &OpenVideo{Video: v, bytes: int64(info.Width) * int64(info.Height) * 3 / 2 * sample * framesHeld}, nil
}

// openVideo returns an open video of a field's file, for this record.
func (r *run) openVideo(f *field, o video.OpenOptions) (*OpenVideo, error) {
	o.Workers = max(o.Workers, 1) // other workers decode other records
	object, kept := r.inputs[f.input], r.decoders.Open
	if kept == nil || !r.Owned(f.input) {
		v, err := open(r.ctx, r.decoders.Videos, object, o)
		if err == nil {
			r.opened = append(r.opened, v)
		}
		return v, err
	}
	key := keyOf(object, f.Name, o)
	v := kept.find(key)
	if v == nil {
		var err error
		if v, err = open(r.ctx, r.decoders.Videos, object, o); err != nil {
			return nil, err
		}
		if !r.taken[f.input] {
			v.object, r.taken[f.input] = object, true
		} else {
			key.identity = "" // another field's video has the object, and may be closed first
		}
		kept.add(v, key)
	}
	r.opened = append(r.opened, v)
	return v, nil
}

// finish closes or keeps the videos of the record, and closes the objects that it owns.
func (r *run) finish() (err error) {
	for _, v := range r.opened {
		if v.object == nil { // before the object, which another video has
			err = errors.Join(err, v.close())
		}
	}
	for _, v := range r.opened {
		if v.object != nil {
			err = errors.Join(err, v.Return(nil))
		}
	}
	for i, object := range r.inputs {
		if object != nil && r.Owned(i) && !r.taken[i] {
			err = errors.Join(err, object.Close())
		}
	}
	return err
}
