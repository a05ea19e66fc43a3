// Package indexpath defines the paths of saved indexes: package decode writes those of videos, and package source those
// of tar shards. Neither package imports the other, and one folder may hold both kinds.
package indexpath

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
)

// Suffix ends the name of each saved index.
const Suffix = ".spoolidx"

// Of returns the path of a file's index. Without a folder the index is next to the file. In a folder, its name contains
// a digest of the file's directory, so files of the same name in different directories do not share it.
func Of(file, folder string) (string, error) {
	if folder == "" {
		return file + Suffix, nil
	}
	whole, err := filepath.Abs(file)
	if strings.Contains(file, "://") { // the query may be a signature, which differs each time
		whole, _, _ = strings.Cut(file, "?")
	} else if err != nil {
		return "", err
	}
	digest := crc32.Checksum([]byte(filepath.Dir(whole)), crc32.MakeTable(crc32.Castagnoli))
	return filepath.Join(folder, fmt.Sprintf("%s-%08x%s", filepath.Base(whole), digest, Suffix)), nil
}
