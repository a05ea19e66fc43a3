package source

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
	"sync"

	"github.com/spoolmedia/spool"
)

// RecordStream lists the samples of OpenRecords while earlier ones are loaded: see OpenRecordStream. It is safe for
// concurrent use, except Samples.
type RecordStream struct {
	names   []string
	inputs  []Input
	options Options
	first   *Records // of names[0]

	mu     sync.Mutex
	window []*streamedRecords // with samples that were not opened, in order
}

// streamedRecords is the samples of one name.
type streamedRecords struct {
	*Records
	begin int // the ID of its first sample
	left  int // how many were not opened
}

// OpenRecordStream is OpenRecords for many shards or tables, whose listing takes too long: it lists one after the
// other, the next one or two while samples of earlier ones are loaded, and forgets those that were loaded. The first is
// listed before it returns. An argument is listed as a whole, and so is each name of an argument with braces. Samples
// have the order, the IDs and the inputs that OpenRecords gives them. Labels that are names of classes are -1, as in
// OpenStream.
//
// The inputs of a sample must be opened in order, each once, and none after an error. Errors of later names are
// yielded by Samples when it gets there.
func OpenRecordStream(ctx context.Context, args []string, inputs []Input, o Options) (*RecordStream, error) {
	s := &RecordStream{inputs: inputs, options: o}
	for _, arg := range args {
		names, err := ExpandBraces(arg)
		if err != nil {
			return nil, err
		}
		s.names = append(s.names, names...)
	}
	if len(s.names) == 0 {
		return nil, fmt.Errorf("%w: nothing to load; give shards, tables, files or folders", spool.ErrOptions)
	}
	var err error
	s.first, err = s.list(ctx, s.names[0])
	return s, err
}

// list lists a name.
func (s *RecordStream) list(ctx context.Context, name string) (*Records, error) {
	r, err := newRecordLister(ctx, s.inputs, s.options)
	if err != nil {
		return nil, err
	}
	r.unnamed = true
	if err := r.openAll([]string{name}); err != nil {
		return nil, err
	}
	return r.records()
}

// Len is negative: see Streamed.
func (s *RecordStream) Len() int { return -1 }

// Item describes a sample that Samples has given and that was not opened.
func (s *RecordStream) Item(i int) Item {
	part := s.part(i)
	item := part.Item(i - part.begin)
	item.ID = int64(i)
	return item
}

// Open opens input 0 of a sample, as Records.Open does.
func (s *RecordStream) Open(ctx context.Context, i int) (spool.Object, error) {
	part := s.part(i)
	return part.Records.Open(ctx, i-part.begin)
}

// OpenInput opens input k of a sample: see RecordSource. The last one, or an error, forgets the sample.
func (s *RecordStream) OpenInput(ctx context.Context, i, k int) (spool.Object, error) {
	part := s.part(i)
	object, err := part.Records.OpenInput(ctx, i-part.begin, k)
	if err != nil || k == len(s.inputs)-1 {
		s.mu.Lock()
		defer s.mu.Unlock()
		if part.left--; part.left == 0 {
			s.window = slices.DeleteFunc(s.window, func(p *streamedRecords) bool { return p == part })
		}
	}
	return object, err
}

// part returns the records with a sample.
func (s *RecordStream) part(i int) *streamedRecords {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := sort.Search(len(s.window), func(k int) bool { return s.window[k].begin > i }) - 1
	if k < 0 || i >= s.window[k].begin+s.window[k].Len() {
		panic(fmt.Sprintf("source: sample %d was not given, or was opened before", i))
	}
	return s.window[k]
}

// Classes returns nil.
func (s *RecordStream) Classes() []string { return nil }

// Remote reports whether inputs may be in a store of Options.Remote.
func (s *RecordStream) Remote() bool {
	return s.first.Remote() || slices.ContainsFunc(s.names, s.options.isRemote)
}

// Notices returns those of the first name: see Records.Notices.
func (s *RecordStream) Notices() []string { return s.first.Notices() }

// Skipped counts what Records.Skipped does, of the first name.
func (s *RecordStream) Skipped() Skipped { return s.first.Skipped() }

// Selection identifies the condition by which rows are selected.
func (s *RecordStream) Selection() string { return s.options.Where }

// Format returns the type of an input's values as Records.Format does, by the first name.
func (s *RecordStream) Format(input int) (format, element string) { return s.first.Format(input) }

// Samples yields the samples: see Streamed.
func (s *RecordStream) Samples(ctx context.Context, from int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		s.mu.Lock()
		s.window = nil
		s.mu.Unlock()
		n := 0
		for records, err := range ahead(ctx, 1, s.listAll) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			end := n + records.Len()
			part := &streamedRecords{records, n, end - max(n, from)}
			if part.left > 0 {
				s.mu.Lock()
				s.window = append(s.window, part)
				s.mu.Unlock()
			}
			for i := max(n, from); i < end; i++ {
				item := records.Item(i - n)
				item.ID = int64(i)
				if !yield(item, nil) {
					return
				}
			}
			n = end
		}
	}
}

// listAll sends the records of all names.
func (s *RecordStream) listAll(ctx context.Context, to chan<- *Records) error {
	next := s.first
	for i, name := range s.names {
		if i > 0 {
			var err error
			if next, err = s.list(ctx, name); err != nil {
				return err
			}
		}
		select {
		case to <- next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
