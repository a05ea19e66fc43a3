package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/internal/need"
)

// clockJumps are how far the wall clock is from the right time, one after the other.
var clockJumps = []time.Duration{0, time.Hour, -time.Hour, 10 * 365 * 24 * time.Hour, -30 * 365 * 24 * time.Hour, 0,
	-time.Second}

// timed are calls with limits of time, and calls that read from a server.
func timed(t *testing.T) []*operation {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(clitest.Media)))
	t.Cleanup(server.Close)
	remote := func(t *testing.T, folder string) {
		t.Helper()
		var list strings.Builder
		for _, name := range []string{"animal/00.jpg", "animal/01.jpg", "plant/00.jpg", "space/00.jpg"} {
			list.WriteString(server.URL + "/photos/" + name + "\n")
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "list"), []byte(list.String()), 0o600))
	}
	images := []string{"run", "images", "@FOLDER/list", "--size", "32", "--batch", "2", "--digest", "--epochs", "2"}
	return []*operation{
		{name: "deadlines", before: photoList, args: clitest.With(images, "--deadline", "300", "--watch", "300",
			"--attempts", "2", "--isolate", "all")},
		{name: "server", before: remote, args: images},
		{name: "server with a cache", before: remote, args: clitest.With(images, "--disk-cache", "FOLDER/cache"),
			check: sound},
	}
}

// lasted finds the time in the summary of a run.
var lasted = regexp.MustCompile(`, ([0-9.-]+) s in all`)

// TestClockJumps has the wall clock jump by hours and years, at each reading of the command and its helpers. The result
// is the same, nothing times out, and durations are right.
func TestClockJumps(t *testing.T) {
	withoutRace(t)
	if runtime.GOARCH != "amd64" {
		need.Skip(t, need.System, "Go reads the clock by calls on amd64 only, if it must")
	}
	environment, err := inject.ClockCalls(need.Command(t, "cc"), "internal/inject/testdata/clock.c", t.TempDir())
	require.NoError(t, err)
	for i, o := range slices.Concat(operations(t), timed(t)) {
		if !chosen(o) || testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			whole := o.whole(t)
			plain := *o
			plain.raw = true // for the summary
			folder, readings := o.folder(t), 0
			c := o.faulty(t, folder)
			c.Env = append(c.Env, environment...)
			began := time.Now()
			got := plain.run(t, c, func(c *inject.Call) (out inject.Outcome) {
				if c.Name == "clock_gettime" {
					out.Clock = time.Now().Add(clockJumps[readings%len(clockJumps)])
					readings++
				}
				return out
			}, "clock_gettime")
			assert.Positive(t, readings, "the clock is read")
			found := lasted.FindAllStringSubmatch(got.stdout, -1)
			assert.Equal(t, o.args[0] == "run", len(found) == 1, got.stdout)
			for _, m := range found {
				all, err := strconv.ParseFloat(m[1], 64)
				require.NoError(t, err)
				assert.GreaterOrEqual(t, all, 0.0)
				assert.LessOrEqual(t, all, time.Since(began).Seconds())
			}
			got.stdout = o.result(got.stdout)
			assert.Equal(t, whole, got)
			if o.check != nil {
				o.check(t, folder, got, "clock jumps")
			}
		})
	}
}
