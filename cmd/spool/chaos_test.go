package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
)

var chaosTime = flag.Duration("chaos", 0, "how long trainings go on among failures; 0 is one training for each source")

// side is that of the images, which are not resized: their pixels are known.
const side = 8

// chaos is a training of several ranks on one data set, of which processes die, stop and fail, and which goes on with
// as many ranks as before or others.
type chaos struct {
	*rand.Rand
	folder  string
	source  string // local, shards or store
	args    []string
	ids     map[string]int // by digest of a batch of one
	bad     map[int]bool
	epochs  int
	store   *store
	world   int
	events  map[string]int
	failed  map[[2]int]bool // epoch and id of what a ledger has
	counts  []map[int]int   // by epoch: how often each sample was delivered
	tries   int
	former  []string       // states of the ranks before the number changed
	codes   []int          // how the ranks ended
	last    map[int][2]int // epoch and id of the last batch of each rank
	started int            // processes
}

// store is an HTTP server that is out of order for some requests.
type store struct {
	*httptest.Server
	outage atomic.Int64 // requests that will fail
}

func newStore(t *testing.T, folder string) *store {
	t.Helper()
	s := &store{}
	files := http.FileServer(http.Dir(folder))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := s.outage.Add(-1); {
		case n >= 0 && n%2 == 0:
			panic(http.ErrAbortHandler)
		case n >= 0:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Etag", fmt.Sprintf("%q", r.URL.Path)) // files do not change
		files.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s
}

// newChaos makes a data set of distinct images, of which some are damaged.
func newChaos(t *testing.T, r *rand.Rand, source string) *chaos {
	t.Helper()
	x := &chaos{Rand: r, folder: t.TempDir(), source: source, ids: map[string]int{}, bad: map[int]bool{},
		epochs: 1 + r.IntN(2), events: map[string]int{}, last: map[int][2]int{}, failed: map[[2]int]bool{}}
	files := map[string][]byte{}
	var list strings.Builder
	place := x.folder
	if source == "store" {
		x.store = newStore(t, x.folder)
		place = x.store.URL
	}
	n := 20 + r.IntN(30)
	for id := range n {
		pixels := make([]byte, 3*side*side)
		for i := range pixels {
			pixels[i] = byte(r.Uint32())
		}
		file := append(fmt.Appendf(nil, "P6 %d %d 255\n", side, side), pixels...)
		if x.bad[id] = r.IntN(10) == 0; x.bad[id] {
			file = file[:len(file)/2]
		}
		sum := sha256.Sum256(slices.Concat(pixels, bytes.Repeat([]byte{0xff}, 8))) // no label is -1
		x.ids[hex.EncodeToString(sum[:])] = id
		name := fmt.Sprintf("%03d.ppm", id)
		files[name] = file
		require.NoError(t, os.WriteFile(filepath.Join(x.folder, name), file, 0o600))
		list.WriteString(place + "/" + name + "\n")
	}
	names := []string{"@" + filepath.Join(x.folder, "list")}
	require.NoError(t, os.WriteFile(names[0][1:], []byte(list.String()), 0o600))
	if source == "shards" {
		half := map[string][]byte{}
		for id := range n / 2 {
			name := fmt.Sprintf("%03d.ppm", id)
			half[name] = files[name]
			delete(files, name)
		}
		names = []string{filepath.Join(x.folder, "a.tar"), filepath.Join(x.folder, "b.tar")}
		clitest.Pack(t, names[0], half)
		clitest.Pack(t, names[1], files)
	}
	x.args = clitest.With([]string{"run", "images"}, clitest.With(names, "--size", fmt.Sprint(side), "--batch", "1",
		"--epochs", fmt.Sprint(x.epochs), "--shuffle", "--seed", fmt.Sprint(r.IntN(100)), "--rest", "uneven", "--digest",
		"--workers", "2")...)
	for range x.epochs {
		x.counts = append(x.counts, map[int]int{})
	}
	return x
}

// event is what happens to a rank. It decides about the rank's calls.
func (x *chaos) event(rank int) (name string, decide func(*inject.Call) inject.Outcome) {
	left := int64(1 + x.IntN(60))
	countdown := func() bool { left--; return left == 0 }
	state := x.state(rank)
	saves := func(c *inject.Call) bool { return strings.HasPrefix(filepath.Base(c.Path), "."+filepath.Base(state)) }
	sample := func(c *inject.Call) bool {
		return strings.HasSuffix(c.Path, ".ppm") || strings.HasSuffix(c.Path, ".tar")
	}
	switch x.IntN(7) {
	case 0:
		return "killed", func(c *inject.Call) (o inject.Outcome) {
			if countdown() {
				_ = unix.Kill(c.Process(), unix.SIGKILL)
			}
			return o
		}
	case 1:
		return "stopped", func(c *inject.Call) (o inject.Outcome) {
			if countdown() {
				process := c.Process()
				_ = unix.Kill(process, unix.SIGSTOP)
				time.AfterFunc(300*time.Millisecond, func() { _ = unix.Kill(process, unix.SIGCONT) })
			}
			return o
		}
	case 2:
		return "full disk", func(c *inject.Call) (o inject.Outcome) {
			if saves(c) && c.Name != "openat" && (left <= 0 || countdown()) {
				o.Err = unix.ENOSPC
			}
			return o
		}
	case 3:
		return "bad read", func(c *inject.Call) (o inject.Outcome) {
			if sample(c) && countdown() {
				o.Err = unix.EIO
			}
			return o
		}
	case 4:
		return "slow files", func(c *inject.Call) (o inject.Outcome) {
			if sample(c) {
				<-time.After(5 * time.Millisecond)
			}
			return o
		}
	case 5:
		if x.store != nil {
			x.store.outage.Store(left)
			return "outage", nil
		}
	}
	return "nothing", nil
}

func (x *chaos) state(rank int) string { return filepath.Join(x.folder, fmt.Sprintf("state%d", rank)) }

// rank runs a rank to its end, and returns its batches.
func (x *chaos) rank(t *testing.T, rank int, resume []string, decide func(*inject.Call) inject.Outcome) (lines []string,
	code int) {
	t.Helper()
	ledger := filepath.Join(x.folder, fmt.Sprintf("ledger%d", rank))
	args := clitest.With(x.args, "--rank", fmt.Sprint(rank), "--world", fmt.Sprint(x.world), "--state-out", x.state(rank),
		"--ledger", ledger)
	for _, state := range resume {
		args = append(args, "--resume", state)
	}
	o := &operation{args: args, raw: true}
	e := o.run(t, o.faulty(t, x.folder), decide)
	switch e.code {
	case 0, -int(unix.SIGKILL):
	case 1:
		assert.Contains(t, e.stderr, ": io: ", "%v", args)
	default:
		assert.Fail(t, fmt.Sprintf("exit code %d", e.code), "%v\n%s", args, e.stderr)
	}
	file, err := os.Open(ledger)
	if err != nil {
		return clitest.Digests(e.stdout), e.code
	}
	defer file.Close()
	for decoder := json.NewDecoder(file); ; {
		var entry struct {
			ID    int `json:"id,string"`
			Epoch int `json:"epoch"`
		}
		if err := decoder.Decode(&entry); err != nil {
			assert.ErrorIs(t, err, io.EOF, "a ledger has whole lines")
			return clitest.Digests(e.stdout), e.code
		}
		x.failing(entry.Epoch, entry.ID)
	}
}

var failing sync.Mutex // of chaos.failed: ranks run at the same time

func (x *chaos) failing(epoch, id int) {
	failing.Lock()
	defer failing.Unlock()
	x.failed[[2]int{epoch, id}] = true
}

// train runs all ranks once, from the states that there are, and counts what was delivered before the new states.
func (x *chaos) train(t *testing.T, resume [][]string) {
	t.Helper()
	lines := make([][]string, x.world)
	x.codes = make([]int, x.world)
	var ranks sync.WaitGroup
	for rank := range x.world {
		name, decide := x.event(rank)
		if x.tries > 20 { // it must end
			name, decide = "nothing", nil
		}
		x.events[name]++
		x.started++
		ranks.Go(func() { lines[rank], x.codes[rank] = x.rank(t, rank, resume[rank], decide) })
	}
	ranks.Wait()
	x.tries++
	for rank, printed := range lines {
		s, ok := x.read(t, rank)
		for _, line := range printed {
			var epoch, index int
			var digest string
			_, err := fmt.Sscan(line, &epoch, &index, &digest)
			require.NoError(t, err)
			if !ok || epoch > int(s.State.Epoch) || epoch == int(s.State.Epoch) && index >= s.Batch {
				continue // delivered after the state: it comes again
			}
			id, known := x.ids[digest]
			require.True(t, known, "rank %d delivered other bytes: %s", rank, line)
			// A rank that has met bad samples delivers its last batch again, as padding, for as many batches as others.
			before, seen := x.last[rank]
			if at := [2]int{epoch, id}; !seen || before != at {
				x.counts[epoch][id]++
				x.last[rank] = at
			}
		}
	}
}

// read reads the state of a rank.
func (x *chaos) read(t *testing.T, rank int) (s loader.State, ok bool) {
	t.Helper()
	text, err := os.ReadFile(x.state(rank))
	if os.IsNotExist(err) {
		return s, false
	}
	require.NoError(t, err)
	s, err = loader.ParseState(text)
	require.NoError(t, err, "%s", text)
	return s, true
}

// ended reports whether all ranks came to their ends.
func (x *chaos) ended() bool {
	return len(x.codes) > 0 && !slices.ContainsFunc(x.codes, func(code int) bool { return code != 0 })
}

// next returns the states from which each rank goes on. The number of ranks changes now and then, if all ranks are in
// the same epoch.
func (x *chaos) next(t *testing.T) [][]string {
	t.Helper()
	var all []string
	same, first := true, 0
	for rank := range x.world {
		s, ok := x.read(t, rank)
		if rank == 0 {
			first = int(s.State.Epoch)
		}
		same = same && ok && int(s.State.Epoch) == first
		if ok {
			all = append(all, x.state(rank))
		}
	}
	if same && first < x.epochs && x.IntN(3) == 0 {
		former := make([]string, len(all))
		for i, name := range all { // ranks replace theirs
			former[i] = filepath.Join(x.folder, fmt.Sprintf("former%d-%d", x.tries, i))
			require.NoError(t, os.Rename(name, former[i]))
		}
		x.world = 1 + x.IntN(4)
		x.last = map[int][2]int{}
		x.events["another number of ranks"]++
		resume := make([][]string, x.world)
		for rank := range resume {
			resume[rank] = former
		}
		x.former = former
		return resume
	}
	resume := make([][]string, x.world)
	for rank := range resume {
		switch _, ok := x.read(t, rank); {
		case ok:
			resume[rank] = []string{x.state(rank)}
		default:
			resume[rank] = x.former // none at the beginning
		}
	}
	return resume
}

// TestChaos trains among failures. Over all ranks and attempts, each epoch has each good sample once, or a ledger says
// why not. All bytes are right.
func TestChaos(t *testing.T) {
	r, begin := seed.Rand(t), time.Now()
	total, rounds, processes := map[string]int{}, 0, 0
	for rounds == 0 || time.Since(begin) < *chaosTime {
		for i, source := range []string{"local", "shards", "store"} {
			if testing.Short() && i > 0 {
				continue
			}
			x := newChaos(t, r, source)
			x.world = 1 + r.IntN(3)
			for resume := make([][]string, x.world); !x.ended(); resume = x.next(t) {
				require.Less(t, x.tries, 40, "it does not end")
				x.train(t, resume)
			}
			x.judge(t)
			for name, n := range x.events {
				total[name] += n
			}
			processes += x.started
			if t.Failed() {
				t.Fatalf("round %d, %s", rounds, source)
			}
		}
		rounds++
	}
	t.Logf("%d rounds, %d processes, %v", rounds, processes, total)
}

// judge compares what was delivered with the data set.
func (x *chaos) judge(t *testing.T) {
	t.Helper()
	for epoch, counts := range x.counts {
		for id := range len(x.ids) {
			n := counts[id]
			switch {
			case x.bad[id]:
				assert.Zero(t, n, "epoch %d, damaged sample %d", epoch, id)
			case n == 0:
				assert.True(t, x.failed[[2]int{epoch, id}], "epoch %d lacks sample %d, and no ledger has it", epoch, id)
			default:
				assert.Equal(t, 1, n, "epoch %d, sample %d", epoch, id)
			}
		}
	}
}
