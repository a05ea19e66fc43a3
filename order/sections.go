package order

import (
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
	class int
	next  int // first the number of samples, then where the next one goes
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
			if p.next > 0 {
				found[int64(label)] = true
			}
		}
		for label := range one.others {
			found[label] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// all calls a function for each sample that has a label.
func (s *section) all(do func(id int, p *place)) {
	var labels [labelsRead]int64
	for from := s.from; from < s.to; from += labelsRead {
		run := labels[:min(labelsRead, s.to-from)]
		s.read(from, run)
		for i, label := range run {
			if label >= 0 {
				do(from+i, s.place(label))
			}
		}
	}
}

// place returns the place of a label.
func (s *section) place(label int64) *place {
	if label >= denseLabels {
		p := s.others[label]
		if p == nil {
			p = &place{}
			s.others[label] = p
		}
		return p
	}
	if int(label) >= len(s.dense) {
		s.dense = append(s.dense, make([]place, int(label)+1-len(s.dense))...)
	}
	return &s.dense[label]
}
