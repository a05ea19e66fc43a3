package encode_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
)

// FuzzRemux remuxes any packets to any container. The result is a file, or an error with a class and no file; nothing
// hangs.
func FuzzRemux(f *testing.F) {
	files := mutate.Files(f, 1<<20, "../testdata/video/*.*", "../testdata/audio/*.*")
	folder := f.TempDir()
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) { survive(t, folder, data, knobs) })
}

func survive(t testing.TB, folder string, data []byte, knobs uint64) {
	endings := [...]string{".mkv", ".mp4", ".mov", ".ts", ".webm", ".avi", ".ogg", ".wav"}
	path := filepath.Join(folder, "a"+endings[knobs%8])
	o := encode.RemuxOptions{}
	if knobs&8 != 0 {
		o.Start, o.End = 0.2, 0.2+float64(knobs>>4%8)/10
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := encode.Remux(ctx, path, spool.Bytes{Data: data}, o)
	if errors.Is(err, spool.ErrTimeout) {
		t.Fatal("hangs: ", err)
	}
	if err != nil && spool.ClassOf(err) == "" {
		t.Fatal("no class: ", err)
	}
	if err == nil {
		fuzzed.Accept()
		if info, failed := os.Stat(path); failed != nil || info.Size() == 0 {
			t.Fatal("no file: ", failed)
		}
		if failed := os.Remove(path); failed != nil {
			t.Fatal(failed)
		}
	}
	if left, failed := os.ReadDir(folder); failed != nil || len(left) > 0 {
		t.Fatal("left behind: ", left, failed)
	}
}
