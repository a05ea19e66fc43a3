// Package indexpath says where saved indexes lie: those of videos, which package decode writes, and those of tar shards,
// which package source does. Neither imports the other, and one folder may hold both.
package indexpath

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
)

// Suffix is what the name of a saved index ends with.
const Suffix = ".spoolidx"

// Of is where the index of a file lies: beside it, or in a folder, under a name that files of the same name in other
// folders do not share.
func Of(file, folder string) (string, error) {
	if folder == "" {
		return file + Suffix, nil
	}
	whole, err := filepath.Abs(file)
	if strings.Contains(file, "://") { // what follows a question mark may be a signature, which is another one each time
		whole, _, _ = strings.Cut(file, "?")
	} else if err != nil {
		return "", err
	}
	digest := crc32.Checksum([]byte(filepath.Dir(whole)), crc32.MakeTable(crc32.Castagnoli))
	return filepath.Join(folder, fmt.Sprintf("%s-%08x%s", filepath.Base(whole), digest, Suffix)), nil
}
