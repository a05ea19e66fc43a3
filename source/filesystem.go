package source

import (
	"context"
	"io/fs"

	"github.com/spoolmedia/spool"
)

// fileSystem resolves names: in the operating system, in an fs.FS, or in a store.
type fileSystem interface {
	// entries calls entry for each entry of a folder, in any order. If it reads the folder by pages, it checks ctx between
	// them.
	entries(ctx context.Context, folder string, entry func(fs.DirEntry)) error
	// stat describes the file or folder at name, and follows symbolic links.
	stat(name string) (fs.FileInfo, error)
	// open opens a regular file, and refuses anything else. It does not wait for the other end of a pipe.
	open(ctx context.Context, name string) (spool.Object, error)
}

// join appends an entry's name to its folder's, as a user would write it.
func join(folder, name string) string { return prefix(folder) + name }

// prefix returns what precedes the names of a folder's entries.
func prefix(folder string) string {
	switch {
	case folder == "." || folder == "":
		return ""
	case folder[len(folder)-1] == '/':
		return folder
	}
	return folder + "/"
}
