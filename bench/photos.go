package bench

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Set is a set of photos to measure with.
type Set struct {
	Name  string   // the same on every machine
	Glob  string   // where it lies
	Files []string // in the order of their names
}

// Media is where bench/media/generate.py writes, below the repository's root: make bench-media.
const Media = "bin/bench-media"

// Photos gives the sets that are there, the best to measure with first: the 300 generated photos of ImageNet's sizes below the
// repository at root, and the 44 smaller ones of testdata. There is at least one.
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
