package source

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/spoolmedia/spool"
)

// Streamed is a Source that names its samples one after the other, while those before are loaded, and knows of no more of them than are
// on their way. Len is negative, as nobody knows the end before it has come, and Classes are nil. Item and Open are of samples
// that Samples has given; Open may be called once of each, and then it is forgotten.
type Streamed interface {
	Source
	// Samples lists the samples in their order, those before the number from left out; IDs are their numbers. There is one loop over
	// them at a time, and nothing is left of it behind its end. An error comes last, once all before it have been given.
	Samples(ctx context.Context, from int) iter.Seq2[Item, error]
}

// Stream is what arguments name, listed while it is loaded: OpenStream makes one. It is safe for concurrent use, but for Samples.
type Stream struct {
	feeds   []feed
	remote  bool
	notices []string

	mu     sync.Mutex
	window map[int]found // given and not opened yet
}

// feed gives the samples of an argument, or of some, until give says that no more are wanted. An error is what ended it before.
type feed func(ctx context.Context, give func(found) bool) error

// found is a sample, but for its number.
type found struct {
	item Item
	open func(ctx context.Context) (spool.Object, error)
}

// streamAhead is how many names are listed ahead of who takes them: what comes with four answers of a store.
const streamAhead = 4096

// OpenStream is Open for more samples than anybody wants to wait for, or to hold the names of: folders, and the prefixes and patterns of
// a Remote, are listed while their samples are loaded, some thousands of names ahead. What else there is (files, lists, manifests,
// shards, patterns of paths) is listed before it returns, as Open does, and so is what is wrong with it.
//
// Samples come in the order of the arguments, and within a folder or a prefix bytewise by all that comes behind it, which is how stores
// list: "a-b/1" before "a/1". Whatever lies there at any depth belongs to it, also beside other folders. Class folders give no
// labels, since these are numbers of all their names: samples have the numbers that lists and manifests give them, or else -1. What
// Open refuses of a folder, a prefix or a pattern, as that there is nothing to load, is an error of Samples, when its turn comes.
func OpenStream(ctx context.Context, args []string, o Options) (*Stream, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%w: nothing to load; give files, folders, patterns or @lists", spool.ErrOptions)
	}
	s := &Stream{}
	var known []string // names one behind the other that are to be listed at once
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
		return nil
	}
	for _, arg := range args {
		names, err := Unbraced(arg)
		if err != nil {
			l.problems.add(err)
		}
		for _, name := range names {
			next := l.feed(name)
			if next == nil {
				known = append(known, name)
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
func (s *Stream) Len() int { return -1 }

// Item describes a sample that Samples has given, and that was not opened yet.
func (s *Stream) Item(i int) Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at(i).item
}

// Open opens a sample that Samples has given, once.
func (s *Stream) Open(ctx context.Context, i int) (spool.Object, error) {
	s.mu.Lock()
	f := s.at(i)
	delete(s.window, i)
	s.mu.Unlock()
	if err := ended(ctx, "open", f.item.Name); err != nil {
		return nil, err
	}
	return f.open(ctx)
}

func (s *Stream) at(i int) found {
	f, ok := s.window[i]
	if !ok {
		panic(fmt.Sprintf("source: sample %d was not given, or was opened before", i))
	}
	return f
}

// Classes are none.
func (s *Stream) Classes() []string { return nil }

// Notices say, a line each, what tables and shards hold that is not loaded.
func (s *Stream) Notices() []string { return s.notices }

// Remote reports whether samples may lie in a store of Options.Remote.
func (s *Stream) Remote() bool { return s.remote }

// Samples lists the samples: see Streamed.
func (s *Stream) Samples(ctx context.Context, from int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		s.mu.Lock()
		s.window = map[int]found{}
		s.mu.Unlock()
		ctx, stop := context.WithCancel(ctx)
		ahead := make(chan found, streamAhead)
		var failed error // once ahead is closed
		go func() {
			defer close(ahead)
			failed = s.list(ctx, ahead)
		}()
		defer func() {
			stop()
			for range ahead { // to its end
			}
		}()
		n := 0
		for f := range ahead {
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
		if failed != nil {
			yield(Item{}, failed)
		}
	}
}

// list sends what the feeds give.
func (s *Stream) list(ctx context.Context, to chan<- found) error {
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
