package source

import (
	"context"
	"io/fs"

	"github.com/spoolmedia/spool"
)

// place is where names lead: the operating system's files, an fs.FS, or a store.
type place interface {
	// entries calls entry for each entry of a folder, in any order. Where a folder is read by pages it
	// looks at ctx between them.
	entries(ctx context.Context, folder string, entry func(fs.DirEntry)) error
	// stat describes what lies at name, symbolic links followed.
	stat(name string) (fs.FileInfo, error)
	// open opens a regular file, and nothing else. It does not wait for the other end of a pipe.
	open(ctx context.Context, name string) (spool.Object, error)
}

// join puts an entry's name behind its folder's, as a user would write it.
func join(folder, name string) string { return prefix(folder) + name }

// prefix is what comes before the names of a folder's entries.
func prefix(folder string) string {
	switch {
	case folder == "." || folder == "":
		return ""
	case folder[len(folder)-1] == '/':
		return folder
	}
	return folder + "/"
}
