package cache

import (
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// WaitForLock has a folder wait for its lock for an hour, so that a test's writes are not given up on a machine that is busy.
func (f *Folder) WaitForLock() {
	if f.account != nil {
		f.account.patience = time.Hour
	}
}

// Audit compares a folder's books with its files. It has the lock meanwhile: no other process or goroutine adds or removes a file. It gives
// the room of all files, that which temporary files are to take counted in full.
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
