package record

import (
	"container/list"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// OpenFilesOptions are the limits of OpenFiles.
type OpenFilesOptions struct {
	// Max is the largest number of files that are kept open while no record needs them. 0 means 128.
	Max int
	// MaxBytes limits the memory of their decoders, as estimated from the size of frames, and 1 MiB for audio. 0 means
	// 1 GiB.
	MaxBytes int64
}

// OpenFiles keeps video and audio open for later records with parts of the same files: the rows of a table with one row
// for each segment of a file. Opening a file and its first decoded frame cost more than most segments. The files that
// were unused for the longest time are closed beyond the limits. It serves the records of one Plan, or the samples of
// one loader of video or audio, and is safe for concurrent use. An open file is used by one sample at a time; samples
// that need the same file at once each open it.
type OpenFiles struct {
	options OpenFilesOptions

	mu     sync.Mutex
	closed bool
	idle   *list.List // of *openFile, the latest at the front
	bytes  int64      // estimate for those in idle
	stats  OpenFilesStats
}

// OpenFilesStats are the counters of OpenFiles.
type OpenFilesStats struct {
	Opened, Reused int64 // files that were opened, and uses of one that was open
	Idle           int   // files that are kept
	Bytes          int64 // estimated memory of their decoders
}

// openFile is an open video or audio with its object, used by one sample or kept.
type openFile struct {
	medium io.Closer // *video.Video or *audio.Audio
	object *shared   // nil: it is lent
	key    fileKey
	home   *OpenFiles // nil: it is not kept
	bytes  int64
	failed bool // an error left its decoder in an unknown state
}

// fileKey distinguishes the open files of a plan.
type fileKey struct {
	identity string // empty: it is not kept
	field    string // fields may differ in their options
	stream   int    // that the options name; -1: none
}

// keyOf returns what distinguishes a file that is opened for a field. stream is what its options name.
func keyOf(object spool.Object, field string, stream *int) fileKey {
	key := fileKey{object.Info().Identity, field, -1}
	if stream != nil {
		key.stream = *stream
	}
	return key
}

// shared is an object that a record and several open files use. The last one closes it.
type shared struct {
	spool.Object
	users atomic.Int32
}

// share makes the caller the only user of an object.
func share(o spool.Object) *shared {
	s := &shared{Object: o}
	s.users.Store(1)
	return s
}

// use adds a user.
func (s *shared) use() *shared {
	s.users.Add(1)
	return s
}

// leave ends the use by one.
func (s *shared) leave() error {
	if s == nil || s.users.Add(-1) > 0 {
		return nil
	}
	return s.Object.Close()
}

// NewOpenFiles returns a cache without files. Its owner calls Close. Errors are ErrOptions.
func NewOpenFiles(o OpenFilesOptions) (*OpenFiles, error) {
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
	return &OpenFiles{options: o, idle: list.New()}, nil
}

// add makes a file that was just opened one that can be kept. A nil OpenFiles keeps none.
func (o *OpenFiles) add(f *openFile, key fileKey) {
	if o == nil {
		return
	}
	f.key, f.home = key, o
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stats.Opened++
}

// find returns a kept file for one sample, or nil.
func (o *OpenFiles) find(key fileKey) *openFile {
	if o == nil || key.identity == "" {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for e := o.idle.Front(); e != nil; e = e.Next() {
		if f := e.Value.(*openFile); f.key == key {
			o.idle.Remove(e)
			o.bytes -= f.bytes
			o.stats.Reused++
			return f
		}
	}
	return nil
}

// giveBack gives the file back to those that it is from, which keep it unless err is an error of decoding it. The
// caller may no longer use it.
func (f *openFile) giveBack(err error) error {
	f.failed = f.failed || err != nil
	if f.home == nil {
		return f.close()
	}
	return f.home.keep(f)
}

// keep takes back a file that a sample has used.
func (o *OpenFiles) keep(f *openFile) error {
	o.mu.Lock()
	if o.closed || f.failed || f.key.identity == "" {
		o.mu.Unlock()
		return f.close()
	}
	o.idle.PushFront(f)
	o.bytes += f.bytes
	var evicted []*openFile
	for o.idle.Len() > o.options.Max || o.bytes > o.options.MaxBytes {
		e := o.idle.Back()
		old := o.idle.Remove(e).(*openFile)
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
func (o *OpenFiles) Stats() OpenFilesStats {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats
	s.Idle, s.Bytes = o.idle.Len(), o.bytes
	return s
}

// Close closes the files that are kept, and later those that records still use. Further calls do nothing.
func (o *OpenFiles) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	var err error
	for e := o.idle.Front(); e != nil; e = e.Next() {
		err = errors.Join(err, e.Value.(*openFile).close())
	}
	o.idle.Init()
	o.bytes = 0
	return err
}

// close closes the decoder, and ends its use of the object.
func (f *openFile) close() error { return errors.Join(f.medium.Close(), f.object.leave()) }

// finish closes or keeps the videos of the record, and ends its use of the objects that it owns.
func (r *run) finish() (err error) {
	for _, v := range r.opened {
		err = errors.Join(err, v.Return(nil))
	}
	for _, object := range r.owned {
		err = errors.Join(err, object.leave())
	}
	return err
}
