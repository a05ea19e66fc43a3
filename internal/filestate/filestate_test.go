package filestate_test

import (
	"fmt"
	"io/fs"
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/filestate"
)

type info struct {
	fs.FileInfo
	stat syscall.Stat_t
}

func (i info) Sys() any { return &i.stat }

func TestIdentity(t *testing.T) {
	for _, s := range []syscall.Stat_t{{},
		{Dev: 1, Ino: math.MaxUint64, Size: 1 << 40, Ctim: syscall.Timespec{Sec: 7, Nsec: 5}},
		{Ino: 3, Ctim: syscall.Timespec{Sec: -1, Nsec: 999999999}}} {
		want := fmt.Sprintf("file %d %d %d %d.%09d", s.Dev, s.Ino, s.Size, s.Ctim.Sec, s.Ctim.Nsec)
		assert.Equal(t, want, filestate.Identity(info{stat: s}))
	}
}
