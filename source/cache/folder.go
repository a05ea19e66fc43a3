package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
)

// Folder is a disk cache. It is safe for concurrent use, and several processes may open the same folder.
type Folder struct {
	folder  string // of entries of this version
	ceiling int64
	mode    os.FileMode // of files
	warn    func(error)
	warned  sync.Once
	off     atomic.Bool // nothing more is stored
	closed  atomic.Bool

	blocks   *spool.Pool // for small reads of objects
	account  *account    // nil if nothing can be stored
	counts   *os.File    // nil if it cannot be opened
	demand   demand
	counted  atomic.Int64           // requests of this process
	searched atomic.Pointer[search] // the last that found too few entries of little worth

	stats counters
}

// version is that of the format. Each version has another folder.
const version = 1

// Open opens a cache, or creates one; the folder must not be used for anything else. A folder that cannot be created or
// written is no error: existing entries are read, nothing is stored, and Options.Warn is called. Open removes what dead
// processes and older versions have left. The error is spool.ErrOptions.
func Open(folder string, o Options) (*Folder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	f := &Folder{folder: filepath.Join(folder, versionName(version)), ceiling: o.MaxBytes, warn: o.Warn}
	var err error
	if f.blocks, err = spool.NewPool(spool.PoolOptions{MaxBytes: blockMemory}); err != nil {
		return nil, err
	}
	if err := f.prepare(folder); err != nil {
		f.fail(err)
	}
	return f, nil
}

// blockMemory is the memory for one block of each open object that is read in small parts. Objects without a block are
// read past the folder.
const blockMemory = 64 << 20

// prepare creates the missing parts of the folder, and removes leftovers.
func (f *Folder) prepare(folder string) error {
	made := os.FileMode(0o700)
	if info, err := os.Stat(folder); err == nil {
		made = info.Mode().Perm()
	}
	f.mode = made &^ 0o111
	for _, path := range []string{folder, f.folder, filepath.Join(f.folder, temporary)} {
		if err := os.MkdirAll(path, made); err != nil {
			return err
		}
	}
	if err := tag(folder, f.mode); err != nil {
		return err
	}
	account, err := openAccount(f.folder)
	if err != nil {
		return err
	}
	f.account = account
	if err := account.within(func(s *sum) error {
		_, freed, err := account.sweep()
		s.used -= freed
		s.ceiling = f.ceiling
		return err
	}); err != nil && !errors.Is(err, errBusy) {
		return err
	}
	if f.counts, err = os.OpenFile(filepath.Join(f.folder, "demand"), os.O_RDWR|os.O_CREATE, f.mode); err != nil {
		return err
	}
	f.demand.file = f.counts
	if err := f.counts.Truncate(demandBytes); err != nil {
		return err
	}
	_ = unix.Flock(int(f.counts.Fd()), unix.LOCK_SH|unix.LOCK_NB) // tells later versions that this one is in use
	removeOld(folder)
	return nil
}

// fail stops writing, and reports why.
func (f *Folder) fail(err error) {
	f.off.Store(true)
	f.warned.Do(func() {
		if f.warn != nil {
			f.warn(fmt.Errorf("disk cache: nothing more is stored: %w", err))
		}
	})
}

// Get fills p, whose length must be the entry's, and returns the entry's note. It returns false if there is no such
// entry, or if the entry has another length or is damaged; p may be overwritten then.
func (f *Folder) Get(k Key, p []byte) (note []byte, ok bool) {
	e := f.find(k)
	if e == nil {
		f.stats.misses.Add(1)
		return nil, false
	}
	defer e.file.close()
	if e.size != int64(len(p)) || !f.read(k, e, p, 0) {
		f.stats.misses.Add(1)
		return nil, false
	}
	return e.note, true
}

// Has reports whether there is an entry. Only reading detects damage.
func (f *Folder) Has(k Key) bool {
	_, err := os.Lstat(k.digest.path(f.folder))
	return err == nil && !f.closed.Load()
}

// find opens an entry if it exists.
func (f *Folder) find(k Key) *opened {
	if f.closed.Load() {
		return nil
	}
	path := k.digest.path(f.folder)
	e, err := openEntry(path)
	switch {
	case errors.Is(err, errBroken):
		f.broken(path, e)
		return nil
	case err != nil:
		return nil
	case e.digest != k.digest:
		e.file.close()
		f.broken(path, e)
		return nil
	}
	e.touch(path, time.Now())
	return e
}

// read fills p with an entry's bytes at off, and counts a hit.
func (f *Folder) read(k Key, e *opened, p []byte, off int64) bool {
	if !e.readAt(p, off) {
		f.broken(k.digest.path(f.folder), e)
		return false
	}
	f.hit(k, int64(len(p)))
	return true
}

func (f *Folder) hit(k Key, bytes int64) {
	f.stats.hits.Add(1)
	f.stats.read.Add(bytes)
	f.ask(&k.digest)
}

// broken removes a damaged entry.
func (f *Folder) broken(path string, e *opened) {
	f.stats.broken.Add(1)
	if f.account == nil {
		return
	}
	_ = f.account.within(func(s *sum) error { return f.discard(s, path, e) }) // after an error it is found again
}

// discard removes an entry. The caller holds the account's lock.
func (f *Folder) discard(s *sum, path string, e *opened) error {
	if !e.still(path) {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	s.used -= e.disk // less than was added if the file was truncated: the sum is too large until the next count
	s.entries--
	return nil
}

// ask counts a request for a key.
func (f *Folder) ask(d *digest) (times int) {
	if f.counts == nil {
		return 0
	}
	const look = 256
	times = f.demand.add(d)
	if f.counted.Add(1)%look == 0 {
		all := f.demand.passed(look)
		if s, err := f.account.read(); err == nil && all >= max(forget*int(s.entries), seldom) {
			f.demand.halve()
		}
	}
	return times
}

// Counters are halved after forget requests for each entry, and not before seldom requests.
const (
	forget = 3
	seldom = 4096
)

// Put stores an entry, which took cost to get, if it is worth its space. It does not retain data and note. It takes
// about as long as copying data, and waits at most a second for each lock that it needs.
func (f *Folder) Put(k Key, note, data []byte, cost time.Duration) {
	if f.closed.Load() || f.account == nil {
		return
	}
	asked := f.ask(&k.digest)
	if f.off.Load() || !f.put(k, note, data, cost, max(asked, 1)) {
		f.stats.refused.Add(1)
	}
}

func (f *Folder) put(k Key, note, data []byte, cost time.Duration, asked int) bool {
	path := k.digest.path(f.folder)
	if _, err := os.Lstat(path); err == nil {
		return true // another call or process stored it
	}
	if len(k.name) > math.MaxUint16 || len(k.name)+len(note) > maxNames {
		return false
	}
	h := header{kind: k.kind, digest: k.digest, name: k.name, note: note, cost: cost, made: time.Now()}
	head := h.encode(data)
	room := onDisk(int64(len(head) + len(data)))
	value := worth(cost, room, asked)
	if room > f.ceiling/largest || f.tooCheap(value) {
		return false
	}
	file, err := f.reserve(room, value)
	if file == nil {
		if err != nil && !errors.Is(err, errBusy) {
			f.fail(err)
		}
		return false
	}
	err = writeEntry(file, head, data)
	kept, err := f.commit(file, path, room, err)
	if err != nil {
		f.fail(err)
		return false
	}
	if kept {
		f.stats.kept.Add(1)
		f.stats.written.Add(int64(len(data)))
	}
	return true
}

// An entry may take 1/largest of the ceiling.
const largest = 8

// search is one for entries to evict, which found none worth less than floor. Its result expires.
type search struct {
	floor float64
	until time.Time // on the monotonic clock: the system's may be set back
}

// tooCheap reports whether a recent search found no entry worth less than value: searching takes time.
func (f *Folder) tooCheap(value float64) bool {
	s := f.searched.Load()
	return s != nil && value <= s.floor && time.Now().Before(s.until)
}

// reserve makes room, and creates a file for the entry. It returns nil without an error if the entry is not worth it.
func (f *Folder) reserve(room int64, value float64) (file *os.File, err error) {
	err = f.account.within(func(s *sum) error {
		s.ceiling = f.ceiling
		if s.used+room > f.ceiling {
			if floor, ok := f.evict(s, room, value); !ok {
				f.searched.Store(&search{floor, time.Now().Add(time.Second)})
				return nil
			}
		}
		var err error
		file, err = f.account.reserve(s, room, f.mode)
		return err
	})
	if err != nil && file != nil {
		file.Close()
		file = nil
	}
	return file, err
}

// commit turns a file into an entry, unless writing failed or the entry exists by now, and closes the file.
func (f *Folder) commit(file *os.File, path string, room int64, failed error) (kept bool, err error) {
	err = f.account.within(func(s *sum) error {
		if _, err := os.Lstat(path); failed == nil && err != nil {
			if err = rename(file.Name(), path); err == nil {
				kept = true
				s.entries++
				return nil
			}
			failed = err
		}
		if err := os.Remove(file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cmp.Or(failed, err)
		}
		s.used -= room
		return failed
	})
	if errors.Is(err, errBusy) {
		err = failed // a later sweep removes the file
	}
	return kept, errors.Join(err, file.Close())
}

// rename moves a file to its shelf, which it creates if missing.
func rename(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := os.Stat(filepath.Dir(filepath.Dir(to)))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Close closes the folder. It does not wait for reads and writes in progress: let them end first. Further calls do
// nothing.
func (f *Folder) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	var err error
	if f.blocks != nil {
		_ = f.blocks.Close() // open objects release theirs when they are closed
	}
	if f.counts != nil {
		err = f.counts.Close()
	}
	if f.account != nil {
		err = errors.Join(err, f.account.close())
	}
	return err
}
