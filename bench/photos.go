package bench

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Set is a set of photos for benchmarks.
type Set struct {
	Name  string   // the same on every machine
	Glob  string   // pattern of its files
	Files []string // in the order of their names
}

// Media is the folder that bench/media/generate.py writes, relative to the repository's root. `make bench-media` runs
// it.
const Media = "bin/bench-media"

// Photos returns the available sets, the most suitable first: the 300 generated photos of ImageNet's sizes, and the 44
// smaller photos of testdata, both in the repository at root. It fails if there is none.
func Photos(root string) ([]Set, error) {
	var found []Set
	for _, s := range []Set{
		{Name: "generated photos/*.jpg", Glob: filepath.Join(root, Media, "photos/*.jpg")},
		{Name: "testdata/photos", Glob: filepath.Join(root, "testdata/photos/*/*.jpg")},
	} {
		var err error
		if s.Files, err = filepath.Glob(s.Glob); err != nil {
			return nil, err
		}
		if len(s.Files) > 0 {
			slices.Sort(s.Files)
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no photos in %s", root)
	}
	return found, nil
}
