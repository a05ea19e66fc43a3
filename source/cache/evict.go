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

// worth returns the worth of an entry: the time in ns that it took to get, per byte of disk space, times the requests.
func worth(cost time.Duration, room int64, asked int) float64 {
	return float64(cost) / float64(max(room, 1)) * float64(asked)
}

// An entry may be requested once more in this epoch, which credit assumes for stored entries. Otherwise entries of
// equal worth would replace one another. An entry without requests for the time unused is worth nothing.
const (
	credit = 1
	unused = 7 * 24 * time.Hour
)

// candidate is an entry that may be evicted.
type candidate struct {
	path  string
	room  int64
	worth float64
}

// sampled is how many entries are compared to find the least valuable. A large new entry may need the space of most.
const sampled = 32

// evict removes entries that are worth less than a new one, until there is room for it. If there are too few of them,
// it removes nothing and returns the lowest worth that was too high. The caller holds the account's lock.
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

// cheapest selects entries of the lowest worth, below value, until they take need bytes. If there are too few, floor is
// the worth of the next one.
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

// sample returns some entries: a few from each of several shelves, beginning with a random one.
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
			c := candidate{path: path, room: e.disk} // worth nothing if it is damaged
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
