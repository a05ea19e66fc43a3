package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
)

var chaosTime = flag.Duration("chaos", 0, "how long trainings go on among failures; 0 is one training for each source")
var chaosFirst = flag.Uint64("chaos-first", 0, "the `number` of the first training, to repeat one that failed")

// chaos is a training of several ranks on one data set, of which processes die, stop and fail, and which goes on with
// as many ranks as before or others.
type chaos struct {
	*rand.Rand
	folder  string
	source  string // one of chaosSources
	args    []string
	paths   []string       // of the images; none in shards
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
	history []string       // of each rank and attempt, which a failed training logs
}

func (x *chaos) state(rank int) string { return filepath.Join(x.folder, fmt.Sprintf("state%d", rank)) }
func (x *chaos) ledger(rank int) string {
	return filepath.Join(x.folder, fmt.Sprintf("ledger%d", rank))
}

// rank runs a rank to its end, and returns its batches.
func (x *chaos) rank(t *testing.T, rank int, resume []string, e happening) (lines []string, code int) {
	t.Helper()
	args := clitest.With(x.args, "--rank", fmt.Sprint(rank), "--world", fmt.Sprint(x.world), "--state-out", x.state(rank),
		"--ledger", x.ledger(rank))
	for _, state := range resume {
		args = append(args, "--resume", state)
	}
	o := &operation{args: args, raw: true}
	end := o.run(t, o.faulty(t, x.folder), e.decide)
	switch {
	case end.code == 0:
	case end.code == 1 && strings.Contains(end.stderr, "nothing could be loaded"): // in an outage
	case end.code == 1:
		ledger, _ := os.ReadFile(x.ledger(rank)) // there may be none
		assert.Contains(t, end.stderr, ": io: ", "%v, %v\n%s", e.names, args, ledger)
	case end.code == -int(unix.SIGKILL) && e.dies: // one that hangs is killed, too
	default:
		assert.Fail(t, fmt.Sprintf("exit code %d", end.code), "%v, %v\n%s", e.names, args, end.stderr)
	}
	file, err := os.Open(x.ledger(rank))
	if err != nil {
		return clitest.Digests(end.stdout), end.code
	}
	defer file.Close()
	for decoder := json.NewDecoder(file); ; {
		var entry struct {
			ID    int `json:"id,string"`
			Epoch int `json:"epoch"`
		}
		if err := decoder.Decode(&entry); err != nil {
			assert.ErrorIs(t, err, io.EOF, "a ledger has whole lines")
			return clitest.Digests(end.stdout), end.code
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
	happened := make([][]string, x.world)
	x.codes = make([]int, x.world)
	var ranks sync.WaitGroup
	for rank := range x.world {
		var e happening
		if x.tries <= 20 { // it must end
			e = x.happening(rank)
		}
		for _, name := range e.names {
			x.events[name]++
		}
		happened[rank] = e.names
		x.started++
		ranks.Go(func() { lines[rank], x.codes[rank] = x.rank(t, rank, resume[rank], e) })
	}
	ranks.Wait()
	x.tries++
	for rank, printed := range lines {
		s, ok := x.read(t, rank)
		ledger, _ := os.ReadFile(x.ledger(rank)) // there may be none
		x.history = append(x.history, fmt.Sprintf("attempt %d, rank %d of %d from %v: %v, exit code %d\n%s\n%s%+v", x.tries,
			rank, x.world, resume[rank], happened[rank], x.codes[rank], strings.Join(printed, "\n"), ledger, s))
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
	begin, run := time.Now(), &chaosRun{Seed: seed.Of(t), Events: map[string]int{}, Sources: map[string]int{}}
	sources := chaosSources
	if testing.Short() {
		sources = sources[:1]
	}
	least := len(sources)
	if *chaosFirst > 0 {
		least = 1
	}
	for number := *chaosFirst; run.Trainings < least || time.Since(begin) < *chaosTime; number++ {
		source := sources[number%uint64(len(sources))]
		x := newChaos(t, rand.New(rand.NewPCG(run.Seed, number)), source)
		x.world = 1 + x.IntN(3)
		for resume := make([][]string, x.world); !x.ended(); resume = x.next(t) {
			require.Less(t, x.tries, 40, "it does not end")
			x.train(t, resume)
		}
		x.judge(t)
		run.add(x)
		run.write(t, "unfinished", begin)
		if t.Failed() {
			run.write(t, "failed", begin)
			t.Log(strings.Join(x.history, "\n"))
			t.Fatalf("training %d, %s: -chaos-first %d repeats it, with the seed above", number, source, number)
		}
	}
	run.write(t, "passed", begin)
	t.Logf("%+v", *run)
}

// judge compares what was delivered with the data set.
func (x *chaos) judge(t *testing.T) {
	t.Helper()
	for epoch, counts := range x.counts {
		for id := range len(x.ids) {
			n := counts[id]
			reported := x.failed[[2]int{epoch, id}]
			switch {
			case x.bad[id]:
				assert.Zero(t, n, "epoch %d, damaged sample %d", epoch, id)
				assert.True(t, reported, "epoch %d, damaged sample %d is in no ledger", epoch, id)
			case n == 0:
				assert.True(t, reported, "epoch %d lacks sample %d, and no ledger has it", epoch, id)
			default:
				assert.Equal(t, 1, n, "epoch %d, sample %d", epoch, id)
			}
		}
	}
}
