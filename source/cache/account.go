package cache

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// account tracks the disk space of a folder's files for all processes, in a file that a lock protects. A process holds
// the lock while it creates a temporary file, renames it to an entry, or removes either, and changes the sum. The name
// of a temporary file holds the space reserved for it. So the holder of the lock can count again whenever the sum may
// be wrong: after a process died while it changed the sum, after a reboot, or after people removed files.
type account struct {
	folder  string
	file    *os.File
	turn    chan struct{} // serializes this process's goroutines: the lock is the process's
	timeout time.Duration // how long to wait for the lock
	boot    string        // identifies this boot of the machine
	known   bool          // the sum is valid for this boot; guarded by turn
}

// sum is the content of the file.
type sum struct {
	busy    bool // a process is changing it, or died while it did
	used    int64
	entries int64
	ceiling int64  // of the process that wrote last
	boot    string // when it was counted: a crash of the machine may make it wrong
}

const (
	sumBytes    = 96
	bootAt      = 32
	lockTimeout = time.Second
)

// errBusy reports that the lock is taken.
var errBusy = errors.New("others use the cache")

func openAccount(folder string) (*account, error) {
	path := filepath.Join(folder, "lock")
	mode := os.FileMode(0o600)
	if info, err := os.Stat(folder); err == nil {
		mode = info.Mode().Perm() &^ 0o111
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		return nil, err
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return &account{folder: folder, file: f, turn: make(chan struct{}, 1), timeout: lockTimeout,
		boot: cmp.Or(strings.TrimSpace(string(boot)), "unknown")}, nil
}

// within calls f under the lock with a correct sum, which f updates along with the files. It returns f's error.
func (a *account) within(f func(*sum) error) error {
	timer := time.NewTimer(a.timeout)
	defer timer.Stop()
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-timer.C:
		return errBusy
	}
	if err := a.lock(); err != nil {
		return err
	}
	defer func() { _ = unix.Flock(int(a.file.Fd()), unix.LOCK_UN) }()
	s, err := a.read()
	if err != nil {
		return err
	}
	doubt := s.busy || !a.known && s.boot != a.boot
	s.busy = true
	if err := a.write(s); err != nil {
		return err
	}
	if doubt {
		if err := a.count(&s); err != nil {
			return err
		}
	}
	a.known = true
	failed := f(&s)
	s.busy = false
	return errors.Join(failed, a.write(s))
}

// lock waits for the lock. It polls, since a blocking flock cannot be canceled.
func (a *account) lock() error {
	end := time.Now().Add(a.timeout)
	for wait := 20 * time.Microsecond; ; wait = min(2*wait, 2*time.Millisecond) {
		err := unix.Flock(int(a.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EWOULDBLOCK):
			return err
		case time.Now().After(end):
			return errBusy
		}
		time.Sleep(wait + rand.N(wait)) //nolint:forbidigo // a file lock that becomes free sends no event
	}
}

func (a *account) read() (sum, error) {
	var b [sumBytes]byte
	n, err := a.file.ReadAt(b[:], 0)
	if n < len(b) && errors.Is(err, io.EOF) {
		return sum{busy: true}, nil // a new folder
	}
	if err != nil {
		return sum{}, err
	}
	le := binary.LittleEndian
	boot, _, _ := strings.Cut(string(b[bootAt:]), "\x00")
	return sum{busy: b[0] != 0, used: int64(le.Uint64(b[8:])), entries: int64(le.Uint64(b[16:])),
		ceiling: int64(le.Uint64(b[24:])), boot: boot}, nil
}

func (a *account) write(s sum) error {
	var b [sumBytes]byte
	if s.busy {
		b[0] = 1
	}
	le := binary.LittleEndian
	le.PutUint64(b[8:], uint64(s.used))
	le.PutUint64(b[16:], uint64(s.entries))
	le.PutUint64(b[24:], uint64(s.ceiling))
	copy(b[bootAt:], s.boot)
	_, err := a.file.WriteAt(b[:], 0)
	return err
}

// count computes the sum from the files. It removes the temporary files of dead processes.
func (a *account) count(s *sum) error {
	s.entries, s.boot = 0, a.boot
	live, _, err := a.sweep()
	if err != nil {
		return err
	}
	s.used = live
	return eachShelf(a.folder, func(shelf string, names []string) error {
		for _, name := range names {
			var st unix.Stat_t
			if unix.Lstat(filepath.Join(shelf, name), &st) == nil {
				s.used += onDisk(st.Size)
				s.entries++
			}
		}
		return nil
	})
}

// sweep removes the temporary files of dead processes. It returns the space that these took, and the space reserved by
// live ones. The writer of a file holds its lock, which ends with the process.
func (a *account) sweep() (live, freed int64, err error) {
	folder := filepath.Join(a.folder, temporary)
	names, err := readNames(folder)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		path := filepath.Join(folder, name)
		f, err := openFile(path)
		if err != nil {
			continue
		}
		dead := unix.Flock(int(f), unix.LOCK_EX|unix.LOCK_NB) == nil
		f.close()
		if dead && os.Remove(path) == nil {
			freed += roomOf(name)
		} else {
			live += roomOf(name)
		}
	}
	return live, freed, nil
}

// temporary is the folder of files that are being written.
const temporary = "new"

// reserve creates a temporary file and adds room to the sum, the space reserved for it. The caller holds the lock.
func (a *account) reserve(s *sum, room int64, mode os.FileMode) (*os.File, error) {
	path := filepath.Join(a.folder, temporary, fmt.Sprintf("%016x.%d", rand.Uint64(), room))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, errors.Join(err, os.Remove(path))
	}
	s.used += room
	return f, nil
}

// roomOf returns the reserved space in a temporary file's name.
func roomOf(name string) int64 {
	_, room, _ := strings.Cut(name, ".")
	n, _ := strconv.ParseInt(room, 10, 64)
	return n
}

func (a *account) close() error { return a.file.Close() }
