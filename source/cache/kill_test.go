package cache_test

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source/cache"
)

var kills = flag.Int("kills", 10, "processes that are killed in the middle of writes")

const (
	killCeiling = 1 << 20
	killNumbers = 150
	killFolder  = "SPOOL_TEST_KILL_FOLDER"
)

func killSize(number int) int { return 1 + number*number*5 } // to 110 KB

// TestKilledWriter is what TestKill starts and kills: it reads and writes until then.
func TestKilledWriter(t *testing.T) {
	folder := os.Getenv(killFolder)
	if folder == "" {
		t.Skip("a part of TestKill")
	}
	start, err := strconv.Atoi(os.Getenv("SPOOL_TEST_KILL_START"))
	require.NoError(t, err)
	f := open(t, folder, killCeiling)
	var all [killNumbers][]byte
	for number := range all {
		all[number] = content(number, killSize(number))
	}
	p := make([]byte, killSize(killNumbers))
	for i := 0; ; i++ {
		number := (start + i*37) % killNumbers
		want := all[number]
		if _, ok := f.Get(key(number), p[:len(want)]); ok {
			require.True(t, bytes.Equal(want, p[:len(want)]))
		}
		f.Put(key(number), nil, want, time.Duration(i)*time.Millisecond) // each worth more than those before: others have to go
		if i == 5 {
			_, err := os.Stdout.WriteString("writing\n")
			require.NoError(t, err)
		}
	}
}

// Processes share a folder and are killed while they write. No wrong byte is served, the ceiling holds by less than an object, and
// the next process clears up.
func TestKill(t *testing.T) {
	folder := t.TempDir()
	r := seed.Rand(t)
	type writer struct {
		*exec.Cmd
		started time.Time
	}
	start := func() writer {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWriter$", "-test.count=1")
		cmd.Env = append(os.Environ(), killFolder+"="+folder, "SPOOL_TEST_KILL_START="+strconv.Itoa(r.IntN(killNumbers)))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "writing" {
			require.NotContains(t, lines.Text(), "FAIL")
		}
		return writer{cmd, time.Now()}
	}
	var most int64
	served, temporary := 0, 0
	check := func(f *cache.Folder) {
		taken, _ := room(folder)
		most = max(most, taken)
		require.LessOrEqual(t, taken, int64(killCeiling+killSize(killNumbers)))
		for number := range killNumbers {
			p := make([]byte, killSize(number))
			if _, ok := f.Get(key(number), p); ok {
				require.Equal(t, content(number, killSize(number)), p)
				served++
			}
		}
	}
	f := open(t, folder, killCeiling)
	writers := []writer{start(), start()}
	for kill := range *kills {
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond) //nolint:forbidigo // any moment
		for range r.IntN(2) * 5000 {                             // half of them at any time, half of them while there is a file that is not done
			if names, err := os.ReadDir(folder + "/v1/new"); err == nil && len(names) > 0 {
				break
			}
		}
		w := &writers[kill%len(writers)]
		require.NoError(t, w.Process.Kill())
		_ = w.Wait()
		require.Equal(t, -1, w.ProcessState.ExitCode(), "it failed before it was killed")
		names, err := os.ReadDir(folder + "/v1/new")
		require.NoError(t, err)
		temporary += len(names)
		check(f)
		*w = start()
	}
	for _, w := range writers {
		require.NoError(t, w.Process.Kill())
		_ = w.Wait()
	}
	last := open(t, folder, killCeiling) // which clears up
	check(last)
	names, err := os.ReadDir(folder + "/v1/new")
	require.NoError(t, err)
	assert.Empty(t, names)
	taken, _ := room(folder)
	assert.LessOrEqual(t, taken, int64(killCeiling))
	assert.Equal(t, taken, last.Stats().Bytes, "what the dead had reserved is given back")
	assert.Positive(t, served)
	assert.Zero(t, f.Stats().Broken+last.Stats().Broken, "a reader finds whole entries or none")
	t.Logf("%d kills: %d entries read, at most %d of %d bytes, %d temporary files seen", *kills, served, most, killCeiling, temporary)
}
