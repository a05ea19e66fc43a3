package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Entries are stored in 256 shelves, folders that are named by the first byte of a digest.
const shelves = 256

func shelfOf(folder string, i int) string { return filepath.Join(folder, fmt.Sprintf("%02x", i)) }

// path returns the path of an entry.
func (d *digest) path(folder string) string {
	return filepath.Join(shelfOf(folder, int(d[0])), hex.EncodeToString(d[1:]))
}

// digestOf parses an entry's digest from its path.
func digestOf(path string) (d digest, ok bool) {
	b, err := hex.DecodeString(filepath.Base(filepath.Dir(path)) + filepath.Base(path))
	return d, err == nil && copy(d[:], b) == len(d) && len(b) == len(d)
}

// readNames returns the names in a folder; none if it does not exist.
func readNames(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// eachShelf calls f with the names on each shelf that is not empty.
func eachShelf(folder string, f func(shelf string, names []string) error) error {
	for i := range shelves {
		shelf := shelfOf(folder, i)
		names, err := readNames(shelf)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			if err := f(shelf, names); err != nil {
				return err
			}
		}
	}
	return nil
}
