// Package filestate tells one state of a file from another.
package filestate

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// Version is the time of a file's last change.
func Version(info fs.FileInfo) string { return info.ModTime().UTC().Format(time.RFC3339Nano) }

// Identity tells a file's bytes from all others on this machine: writing to it changes the time of its last change of state.
// It is empty of what the system has no file for.
func Identity(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("file %d %d %d %d.%09d", s.Dev, s.Ino, s.Size, s.Ctim.Sec, s.Ctim.Nsec)
}
