// Package filestate identifies the state of a local file.
package filestate

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// Version is the time of a file's last modification.
func Version(info fs.FileInfo) string { return info.ModTime().UTC().Format(time.RFC3339Nano) }

// Identity distinguishes a file's bytes from all others on this machine, by device, inode, size and change time. Each
// write updates the change time. The identity is empty if info does not come from the operating system.
func Identity(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("file %d %d %d %d.%09d", s.Dev, s.Ino, s.Size, s.Ctim.Sec, s.Ctim.Nsec)
}
