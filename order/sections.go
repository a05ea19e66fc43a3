package order

import (
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
)

// section is successive ids whose labels one goroutine reads.
type section struct {
	from, to int
	read     func(from int, labels []int64)
	dense    []place // by label
	others   map[int64]*place
}

// place is where the samples of a class are, of one section.
type place struct {
	samples int
	base    uint64 // that is added to ids
	run     run
}

// denseLabels are the labels whose places are in a slice.
const denseLabels = 1 << 16

// labelsRead is the number of labels that are read together.
const labelsRead = 4096

// sections are all ids in order.
type sections []*section

// newSections returns a section for each CPU.
func newSections(n int, read func(from int, labels []int64)) sections {
	count := min(runtime.GOMAXPROCS(0), n/labelsRead+1)
	all := make(sections, count)
	for i := range all {
		all[i] = &section{from: n / count * i, to: n / count * (i + 1), read: read, others: map[int64]*place{}}
	}
	all[count-1].to = n
	return all
}

// each calls a function for all sections at the same time.
func (s sections) each(do func(*section)) {
	var all sync.WaitGroup
	for _, one := range s {
		all.Go(func() { do(one) })
	}
	all.Wait()
}

// labels returns the labels that samples have, sorted.
func (s sections) labels() []int64 {
	found := map[int64]bool{}
	for _, one := range s {
		for label, p := range one.dense {
			if p.samples > 0 {
				found[int64(label)] = true
			}
		}
		for label := range one.others {
			found[label] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// labels yields the labels of the section, several at a time, and the id of the first.
func (s *section) labels() iter.Seq2[int, []int64] {
	return func(yield func(int, []int64) bool) {
		var labels [labelsRead]int64
		for from := s.from; from < s.to; from += labelsRead {
			run := labels[:min(labelsRead, s.to-from)]
			if s.read(from, run); !yield(from, run) {
				return
			}
		}
	}
}

// count counts the samples of each class.
func (s *section) count() {
	for _, labels := range s.labels() {
		for _, label := range labels {
			if label >= 0 {
				s.place(label).samples++
			}
		}
	}
}

// list sets the ids of all classes.
func (s *section) list(ids *ascending) {
	for from, labels := range s.labels() {
		for i, label := range labels {
			if label >= 0 {
				p := s.place(label)
				ids.set(&p.run, p.base+uint64(from+i))
			}
		}
	}
	for i := range s.dense {
		ids.end(&s.dense[i].run)
	}
	for _, p := range s.others {
		ids.end(&p.run)
	}
}

// place returns the place of a label.
func (s *section) place(label int64) *place {
	if label < int64(len(s.dense)) {
		return &s.dense[label]
	}
	return s.newPlace(label)
}

// newPlace returns the place of a label that has none in dense.
func (s *section) newPlace(label int64) *place {
	if label < denseLabels {
		s.dense = append(s.dense, make([]place, int(label)+1-len(s.dense))...)
		return &s.dense[label]
	}
	p := s.others[label]
	if p == nil {
		p = &place{}
		s.others[label] = p
	}
	return p
}
