package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// worth is what an entry is worth: the time that it cost to get, in ns for a byte of the disk, times how often it was asked for.
func worth(cost time.Duration, room int64, asked int) float64 {
	return float64(cost) / float64(max(room, 1)) * float64(asked)
}

// Of an entry that is kept it is not known whether it will be asked for once more in this epoch: it counts as if it were. Else
// all that are equal would take turns. What nobody has asked for in a week counts nothing.
const (
	credit = 1
	unused = 7 * 24 * time.Hour
)

// candidate is an entry that may have to go.
type candidate struct {
	path  string
	room  int64
	worth float64
}

// sampled is how many entries are looked at for the one that is worth least; a large entry may need the room of most of them.
const sampled = 32

// evict removes entries that are worth less than a new one, until there is room for it. It is called within the account's lock, and
// gives what the least is that was not worth less, where there is not enough of them: then nothing is removed.
func (f *Folder) evict(s *sum, room int64, value float64) (floor float64, ok bool) {
	need := s.used + room - f.ceiling
	if need <= 0 {
		return 0, true
	}
	gone, floor, ok := cheapest(f.sample(), need, value)
	if !ok {
		return floor, false
	}
	for _, c := range gone {
		if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.fail(err)
			return 0, false
		}
		s.used -= c.room
		s.entries--
		f.stats.evicted.Add(1)
	}
	return 0, true
}

// cheapest chooses those that are worth least, and less than value, for so much room; where there is not enough, it gives what
// the next is worth.
func cheapest(found []candidate, need int64, value float64) (gone []candidate, floor float64, ok bool) {
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Compare(a.worth, b.worth) })
	for i, c := range found {
		if need <= 0 {
			return found[:i], 0, true
		}
		if c.worth >= value {
			return nil, c.worth, false
		}
		need -= c.room
	}
	return found, 0, need <= 0
}

// sample looks at some entries: a few of each of some shelves, beginning anywhere.
func (f *Folder) sample() (found []candidate) {
	const each = 8
	now := time.Now()
	start := rand.IntN(shelves)
	for i := 0; i < shelves && len(found) < sampled; i++ {
		shelf := shelfOf(f.folder, (start+i)%shelves)
		names, err := readNames(shelf)
		if err != nil {
			continue
		}
		for range min(each, len(names)) {
			at := rand.IntN(len(names))
			path := filepath.Join(shelf, names[at])
			names = slices.Delete(names, at, at+1)
			e, err := openEntry(path)
			if e == nil {
				continue
			}
			c := candidate{path: path, room: e.disk} // which is worth nothing if it is broken
			if err == nil {
				if now.Sub(e.used) < unused {
					c.worth = worth(e.cost, e.disk, f.demand.of(&e.digest)+credit)
				}
				e.file.close()
			}
			found = append(found, c)
		}
	}
	return found
}
