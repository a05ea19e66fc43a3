package cache

import (
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// WaitForLock makes a folder wait for its lock for an hour, so that no write of a test is dropped on a busy machine.
func (f *Folder) WaitForLock() {
	if f.account != nil {
		f.account.timeout = time.Hour
	}
}

// Audit compares a folder's account with its files. It holds the lock: no other process or goroutine adds or removes a
// file meanwhile. It returns the space of all files, in which temporary files count with their reserved space.
func (f *Folder) Audit() (room int64, err error) {
	err = f.account.within(func(s *sum) error {
		var entries int64
		if err := eachShelf(f.folder, func(shelf string, names []string) error {
			for _, name := range names {
				size, err := sizeOf(filepath.Join(shelf, name))
				if err != nil {
					return err
				}
				room += onDisk(size)
				entries++
			}
			return nil
		}); err != nil {
			return err
		}
		names, err := readNames(filepath.Join(f.folder, temporary))
		for _, name := range names {
			size, err := sizeOf(filepath.Join(f.folder, temporary, name))
			if err != nil {
				return err
			}
			if onDisk(size) > roomOf(name) {
				return fmt.Errorf("%s: %d bytes", name, size)
			}
			room += roomOf(name)
		}
		if room != s.used || entries != s.entries {
			return fmt.Errorf("%d bytes in %d entries, the books say %d in %d", room, entries, s.used, s.entries)
		}
		return err
	})
	return room, err
}

func sizeOf(path string) (int64, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	return st.Size, err
}
