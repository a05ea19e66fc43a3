package table

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"sort"
)

// RowSet is rows of a table, in order. It takes a bit for each row of the table, and a sixteenth of one to find them.
type RowSet struct {
	words  []uint64
	before []uint32 // rows of the set before each block of words
	n      int
}

// blockWords is the number of words of a block of a RowSet.
const blockWords = 8

// NewRowSet returns the rows k for which the bit k%64 of words[k/64] is set. It keeps words, which must not change.
func NewRowSet(words []uint64) *RowSet {
	s := &RowSet{words: words, before: make([]uint32, 0, (len(words)+blockWords-1)/blockWords)}
	for i, word := range words {
		if i%blockWords == 0 {
			s.before = append(s.before, uint32(s.n))
		}
		s.n += bits.OnesCount64(word)
	}
	return s
}

// Len returns the number of rows in the set.
func (s *RowSet) Len() int { return s.n }

// Has reports whether row k of the table is in the set.
func (s *RowSet) Has(k int) bool { return s.words[k/64]>>(k%64)&1 == 1 }

// At returns row i of the set. It panics outside [0, Len()), as indexing does.
func (s *RowSet) At(i int) int {
	if i < 0 || i >= s.n {
		panic(fmt.Sprintf("table: row %d of a set of %d", i, s.n))
	}
	block := sort.Search(len(s.before), func(b int) bool { return int(s.before[b]) > i }) - 1
	left, w := i-int(s.before[block]), block*blockWords
	for ; left >= bits.OnesCount64(s.words[w]); w++ {
		left -= bits.OnesCount64(s.words[w])
	}
	word := s.words[w]
	for range left {
		word &= word - 1
	}
	return w*64 + bits.TrailingZeros64(word)
}

// All yields the rows.
func (s *RowSet) All() iter.Seq[int] { return s.From(0) }

// From yields the rows from row i of the set on.
func (s *RowSet) From(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if i >= s.n {
			return
		}
		first := s.At(i)
		for w := first / 64; w < len(s.words); w++ {
			word := s.words[w]
			if w == first/64 {
				word &= math.MaxUint64 << (first % 64)
			}
			for ; word != 0; word &= word - 1 {
				if !yield(w*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
