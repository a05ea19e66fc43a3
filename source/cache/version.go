package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func versionName(n int) string { return "v" + strconv.Itoa(n) }

// tag marks the folder as a cache (bford.info/cachedir), so that backups leave it out. The tag also tells a cache from
// folders that people name by mistake.
func tag(folder string, mode os.FileMode) error {
	path := filepath.Join(folder, "CACHEDIR.TAG")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("Signature: 8a477f597d28d172789f06886806bc55\n# Made by spool: see \"spool cache\".\n")
	return errors.Join(err, f.Close())
}

// removeOld removes the entries of older versions, unless a process uses them.
func removeOld(folder string) {
	names, err := readNames(folder)
	if err != nil {
		return
	}
	for _, name := range names {
		number, ok := strings.CutPrefix(name, "v")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n >= version || versionName(n) != name {
			continue
		}
		f, err := os.Open(filepath.Join(folder, name, "demand"))
		if err != nil {
			continue // not a cache of ours
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(filepath.Join(folder, name)) // after an error the next call tries again
		}
		f.Close()
	}
}
