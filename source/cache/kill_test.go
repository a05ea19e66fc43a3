package cache_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source/cache"
)

var kills = flag.Int("kills", 10, "processes that are killed in the middle of writes; a third with -short")

const (
	killCeiling = 24 << 20
	killNumbers = 90
	killFolder  = "SPOOL_TEST_KILL_FOLDER"
)

func killSize(number int) int { return 1 + number*number*350 } // up to 2.8 MB, which take a millisecond to write

// killContents returns the contents of the entries: parts of the same bytes, no two of which begin alike.
func killContents() (all [killNumbers][]byte) {
	shared := content(0, killSize(killNumbers)+killNumbers)
	for number := range all {
		all[number] = shared[number:][:killSize(number)]
	}
	return all
}

// writing returns the index of a process that is in the middle of a write: its file has some of its bytes. -1: none.
func writing(folder string, all []*exec.Cmd) int {
	names, err := os.ReadDir(folder + "/v1/new")
	if err != nil {
		return -1
	}
	for _, name := range names {
		if info, err := name.Info(); err != nil || info.Size() == 0 || info.Size() > killRoom(name.Name())-4096 {
			continue
		}
		for i, cmd := range all {
			open := fmt.Sprintf("/proc/%d/fd", cmd.Process.Pid)
			files, _ := os.ReadDir(open)
			for _, f := range files {
				if to, err := os.Readlink(open + "/" + f.Name()); err == nil && filepath.Base(to) == name.Name() {
					return i
				}
			}
		}
	}
	return -1
}

// killRoom returns the reserved space in a temporary file's name.
func killRoom(name string) int64 {
	_, room, _ := strings.Cut(name, ".")
	n, _ := strconv.ParseInt(room, 10, 64)
	return n
}

// torn counts the files whose writer died: their locks are free. Each file is counted once.
func torn(t *testing.T, folder string, seen map[string]bool) (some, whole int) {
	t.Helper()
	names, err := os.ReadDir(folder + "/v1/new")
	require.NoError(t, err)
	for _, name := range names {
		f, err := os.Open(folder + "/v1/new/" + name.Name())
		if err != nil || seen[name.Name()] {
			continue // the other writer's, which has become an entry
		}
		if info, err := f.Stat(); err == nil && unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil {
			seen[name.Name()] = true
			if info.Size() > 0 && info.Size() <= killRoom(name.Name())-4096 {
				some++
			} else {
				whole++
			}
		}
		require.NoError(t, f.Close())
	}
	return some, whole
}

// TestKilledWriter is the process that TestKill starts and kills. It reads and writes until then.
func TestKilledWriter(t *testing.T) {
	folder := os.Getenv(killFolder)
	if folder == "" {
		t.Skip("a part of TestKill")
	}
	start, err := strconv.Atoi(os.Getenv("SPOOL_TEST_KILL_START"))
	require.NoError(t, err)
	f := open(t, folder, killCeiling)
	all, old := killContents(), time.Now().Add(-30*24*time.Hour)
	p := make([]byte, killSize(killNumbers))
	for i := 0; ; i++ {
		number := (start + i*17) % killNumbers
		want := all[number]
		if _, ok := f.Get(key(number), p[:len(want)]); ok {
			require.True(t, bytes.Equal(want, p[:len(want)]))
		}
		for _, name := range files(t, folder) { // entries that look unused for so long are evicted
			_ = os.Chtimes(name, old, old) // the other writer may have removed it
		}
		f.Put(key(number), nil, want, time.Millisecond)
		if i == 5 {
			_, err := os.Stdout.WriteString("writing\n")
			require.NoError(t, err)
		}
	}
}

// Processes share a folder and are killed while they write. No wrong byte is served, the ceiling holds, and the next
// process removes the leftovers.
func TestKill(t *testing.T) {
	folder := t.TempDir()
	r := seed.Rand(t)
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWriter$", "-test.count=1")
		cmd.Env = append(os.Environ(), killFolder+"="+folder, "SPOOL_TEST_KILL_START="+strconv.Itoa(r.IntN(killNumbers)))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "writing" {
			require.NotContains(t, lines.Text(), "FAIL")
		}
		return cmd
	}
	all := killContents()
	p := make([]byte, killSize(killNumbers))
	var most int64
	served, middle, edge, seen := 0, 0, 0, map[string]bool{}
	check := func(f *cache.Folder) {
		taken, err := f.Audit()
		require.NoError(t, err)
		most = max(most, taken)
		require.LessOrEqual(t, taken, int64(killCeiling))
		for number, want := range all {
			if _, ok := f.Get(key(number), p[:len(want)]); ok {
				require.True(t, bytes.Equal(want, p[:len(want)]), number)
				served++
			}
		}
	}
	f := open(t, folder, killCeiling)
	kill := func(cmd *exec.Cmd) {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		require.Equal(t, -1, cmd.ProcessState.ExitCode(), "it failed before it was killed")
	}
	writers := []*exec.Cmd{start(), start()}
	rounds := max(1, *kills/short.Of(1, 3))
	for range rounds {
		time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond) //nolint:forbidigo // any moment
		which := -1
		if r.IntN(8) > 0 { // mostly in the middle of a file
			for end := time.Now().Add(time.Second); which < 0 && time.Now().Before(end); {
				which = writing(folder, writers)
			}
		}
		if which < 0 {
			which = r.IntN(len(writers))
		}
		kill(writers[which])
		some, whole := torn(t, folder, seen)
		if some > 0 {
			middle++
		}
		if some == 0 && whole > 0 {
			edge++
		}
		check(f)
		writers[which] = start()
	}
	for _, cmd := range writers {
		kill(cmd)
	}
	last := open(t, folder, killCeiling) // removes the leftovers
	check(last)
	names, err := os.ReadDir(folder + "/v1/new")
	require.NoError(t, err)
	assert.Empty(t, names)
	taken, _ := room(folder)
	assert.LessOrEqual(t, taken, int64(killCeiling))
	assert.Equal(t, taken, last.Stats().Bytes, "what the dead had reserved is given back")
	assert.Positive(t, served)
	assert.Zero(t, f.Stats().Broken+last.Stats().Broken, "a reader finds whole entries or none")
	t.Logf("%d kills: %d in the middle of a write, %d before or after one; %d entries read, at most %d of %d bytes",
		rounds, middle, edge, served, most, killCeiling)
}
