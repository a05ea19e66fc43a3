// Package files resolves names of files: in the operating system, or in an fs.FS. Package source also resolves them in
// stores.
package files

import (
	"context"
	"io/fs"

	"github.com/spoolmedia/spool"
)

// System resolves names.
type System interface {
	// Entries calls entry for each entry of a folder, in any order. If it reads the folder by pages, it checks ctx between
	// them.
	Entries(ctx context.Context, folder string, entry func(fs.DirEntry)) error
	// Stat describes the file or folder at name, and follows symbolic links.
	Stat(name string) (fs.FileInfo, error)
	// Open opens a regular file, and refuses anything else. It does not wait for the other end of a pipe.
	Open(ctx context.Context, name string) (spool.Object, error)
}

// Join appends an entry's name to its folder's, as a user would write it.
func Join(folder, name string) string { return Prefix(folder) + name }

// Prefix returns what precedes the names of a folder's entries.
func Prefix(folder string) string {
	switch {
	case folder == "." || folder == "":
		return ""
	case folder[len(folder)-1] == '/':
		return folder
	}
	return folder + "/"
}
