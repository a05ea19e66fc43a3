package source

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Streamed is a Source that lists its samples while earlier ones are loaded, and keeps only those in flight. Len is
// negative, because the number is unknown until the end, and Classes is nil. Item and Open accept samples that Samples
// has given. Open may be called once for each, which forgets it.
type Streamed interface {
	Source
	// Samples yields the samples in order, without those before index from; their IDs are their indices. Only one loop
	// over them may run at a time, and its goroutine ends with it. An error comes last, after all samples before it.
	Samples(ctx context.Context, from int) iter.Seq2[Item, error]
}

// StreamListing lists arguments while their samples are loaded: see OpenStream. It is safe for concurrent use, except
// Samples.
type StreamListing struct {
	feeds     []feed
	remote    bool
	notices   []string
	selection string
	skipped   Skipped

	mu     sync.Mutex
	window map[int]found // given and not opened yet
}

// feed passes the samples of an argument, or of several, to give until give returns false. It returns the error that
// stopped it.
type feed func(ctx context.Context, give func(found) bool) error

// found is a sample without its ID.
type found struct {
	item    Item
	open    func(ctx context.Context) (spool.Object, error)
	segment func(ctx context.Context) (*Segment, error) // nil: the whole file
}

// streamAhead is how many names are listed ahead of the consumer: about four responses of a store.
const streamAhead = 4096

// OpenStream is Open for data sets whose listing takes too long, or too much memory. It lists folders, and the prefixes
// and patterns of a Remote, while their samples are loaded, up to 4096 names ahead. It lists all other arguments
// (files, lists, manifests, shards, patterns of paths) before it returns, as Open does, and returns their errors.
//
// Samples have the order of the arguments. Within a folder or a prefix they are sorted bytewise by the rest of their
// names, as stores list them: "a-b/1" before "a/1". All files at any depth belong to a folder, including those next to
// other folders. Class folders give no labels, since labels number all class names: samples have the labels of lists
// and manifests, or -1. Errors that Open returns for a folder, a prefix or a pattern, such as nothing to load, are
// yielded by Samples when it gets there.
func OpenStream(ctx context.Context, args []string, o Options) (*StreamListing, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%w: nothing to load; give files, folders, patterns or @lists", spool.ErrOptions)
	}
	if o.Labels != nil {
		var bad invalid.Options
		bad.Values(invalid.Named("Labels"), "samples of a stream have no labels of their own")
		return nil, bad.Err()
	}
	s := &StreamListing{skipped: Skipped{Extensions: map[string]int{}}}
	var known []string // consecutive names that are listed at once
	list := func() error {
		if len(known) == 0 {
			return nil
		}
		listing, err := l.listed(known)
		if ended := ended(ctx, "list", known[0]); ended != nil {
			return ended
		}
		if known = nil; err != nil {
			l.problems.add(err)
			return nil
		}
		s.feeds, s.remote = append(s.feeds, listing.feed), s.remote || listing.remote
		s.notices = append(s.notices, listing.notices...)
		s.selection += listing.Selection()
		s.skipped.add(listing.skipped)
		return nil
	}
	for _, arg := range args {
		names, err := ExpandBraces(arg)
		if err != nil {
			l.problems.add(err)
		}
		for _, name := range names {
			next := l.feed(name)
			if next == nil {
				known = append(known, name)
				continue
			}
			if l.refuses(name) {
				continue
			}
			if err := list(); err != nil {
				return nil, err
			}
			s.feeds, s.remote = append(s.feeds, next), s.remote || o.isRemote(name)
		}
	}
	if err := list(); err != nil {
		return nil, err
	}
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Len is negative: see Streamed.
func (s *StreamListing) Len() int { return -1 }

// Item describes a sample that Samples has given and Open has not opened.
func (s *StreamListing) Item(i int) Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(i).item
}

// Open opens a sample that Samples has given, once.
func (s *StreamListing) Open(ctx context.Context, i int) (spool.Object, error) {
	s.mu.Lock()
	f := s.at(i)
	delete(s.window, i)
	s.mu.Unlock()
	if err := ended(ctx, "open", f.item.Name); err != nil {
		return nil, err
	}
	return f.open(ctx)
}

// Segment returns the part of its file that a sample is, or nil: see Segmented. The sample is one that Samples has
// given and Open has not opened.
func (s *StreamListing) Segment(ctx context.Context, i int) (*Segment, error) {
	s.mu.Lock()
	f := s.at(i)
	s.mu.Unlock()
	if f.segment == nil {
		return nil, nil
	}
	return f.segment(ctx)
}

func (s *StreamListing) at(i int) found {
	f, ok := s.window[i]
	if !ok {
		panic(fmt.Sprintf("source: sample %d was not given, or was opened before", i))
	}
	return f
}

// Classes returns nil.
func (s *StreamListing) Classes() []string { return nil }

// Notices returns lines that report what tables and shards hold that is not loaded.
func (s *StreamListing) Notices() []string { return s.notices }

// Selection identifies the rows that Options.Where selects, as Listing.Selection does.
func (s *StreamListing) Selection() string { return s.selection }

// Skipped counts what Listing.Skipped does, of the arguments that were listed before OpenStream returned.
func (s *StreamListing) Skipped() Skipped { return s.skipped }

// Remote reports whether samples may be in a store of Options.Remote.
func (s *StreamListing) Remote() bool { return s.remote }

// Samples yields the samples: see Streamed.
func (s *StreamListing) Samples(ctx context.Context, from int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		s.mu.Lock()
		s.window = map[int]found{}
		s.mu.Unlock()
		n := 0
		for f, err := range ahead(ctx, streamAhead, s.list) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if f.item.ID = int64(n); n >= from {
				s.mu.Lock()
				s.window[n] = f
				s.mu.Unlock()
				if !yield(f.item, nil) {
					return
				}
			}
			n++
		}
	}
}

// ahead yields the values that send sends from a goroutine, which is up to n values ahead of the loop and ends with it.
// The error of send comes last.
func ahead[T any](ctx context.Context, n int, send func(context.Context, chan<- T) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		values := make(chan T, n)
		var failed error // valid once values is closed
		go func() {
			defer close(values)
			failed = send(ctx, values)
		}()
		defer func() {
			stop()
			for range values { // drained, so that the goroutine ends
			}
		}()
		for v := range values {
			if !yield(v, nil) {
				return
			}
		}
		if failed != nil {
			var none T
			yield(none, failed)
		}
	}
}

// list sends the samples of all feeds.
func (s *StreamListing) list(ctx context.Context, to chan<- found) error {
	for _, next := range s.feeds {
		err := next(ctx, func(f found) bool {
			select {
			case to <- f:
				return true
			case <-ctx.Done():
				return false
			}
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
