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

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
)

var chaosTime = flag.Duration("chaos", 0, "how long trainings go on among failures; 0 is one training for each source")
var chaosFirst = flag.Uint64("chaos-first", 0, "the `number` of the first training, to repeat one that failed")

// chaos is a training of several ranks on one data set, of which processes die, stop and fail, and which goes on with
// as many ranks as before or others.
type chaos struct {
	*rand.Rand
	model
	folder  string
	source  string // one of chaosSources
	args    []string
	paths   []string // of the images; none in shards
	store   *store
	world   int
	events  map[string]int
	tries   int
	harmed  int      // the last try with events: a training must end
	former  []string // states of the ranks before the number changed
	codes   []int    // how the ranks ended
	started int      // processes
	history []string // of each rank and attempt, which a failed training logs
}

func (x *chaos) state(rank int) string { return filepath.Join(x.folder, fmt.Sprintf("state%d", rank)) }
func (x *chaos) ledger(rank int) string {
	return filepath.Join(x.folder, fmt.Sprintf("ledger%d", rank))
}

// rank runs a rank to its end.
func (x *chaos) rank(t *testing.T, rank int, resume []string, e happening) attempt {
	t.Helper()
	args := clitest.With(x.args, "--rank", fmt.Sprint(rank), "--world", fmt.Sprint(x.world), "--state-out", x.state(rank),
		"--ledger", x.ledger(rank))
	a := attempt{rank: rank, world: x.world}
	for _, name := range resume {
		args = append(args, "--resume", name)
		s, ok := readState(t, name)
		require.True(t, ok, name)
		a.resume = append(a.resume, s)
	}
	_ = os.Remove(x.ledger(rank)) // that of the attempt before, if there was one
	o := &operation{args: args, raw: true}
	end := o.run(t, o.faulty(t, x.folder), e.decide)
	a.lines, a.code = clitest.Digests(end.stdout), end.code
	switch {
	case end.code == 0:
	case end.code == 1:
		assert.NotEmpty(t, end.stderr, "%v, %v", e.names, args)
		for _, class := range classes(end.stderr) {
			assert.True(t, x.explains(e, class), "%q, %v, %v\n%s", class, e.names, args, end.stderr)
		}
	case end.code == -int(unix.SIGKILL) && e.dies: // one that hangs is killed, too
	default:
		assert.Fail(t, fmt.Sprintf("exit code %d", end.code), "%v, %v\n%s", e.names, args, end.stderr)
	}
	file, err := os.Open(x.ledger(rank))
	if err != nil {
		return a
	}
	defer file.Close()
	for decoder := json.NewDecoder(file); ; {
		var entry struct {
			ID    int         `json:"id,string"`
			Epoch int         `json:"epoch"`
			Class spool.Class `json:"class"`
			Text  string      `json:"text"`
		}
		if err := decoder.Decode(&entry); err != nil {
			assert.ErrorIs(t, err, io.EOF, "a ledger has whole lines")
			return a
		}
		a.ledger = append(a.ledger, place{entry.Epoch, entry.ID})
		assert.True(t, x.bad[entry.ID] && damage[entry.Class] || x.explains(e, entry.Class), "%v, %v: %+v", e.names, args,
			entry)
	}
}

// train runs all ranks once, from the states that there are, and counts what was delivered before the new states.
func (x *chaos) train(t *testing.T, resume [][]string) {
	t.Helper()
	all := make([]attempt, x.world)
	happened := make([]happening, x.world)
	x.codes = make([]int, x.world)
	for rank := range x.world {
		if x.tries <= x.harmed {
			happened[rank] = x.happening(rank)
		}
		for _, name := range happened[rank].names {
			x.events[name]++
		}
		x.started++
	}
	var ranks sync.WaitGroup
	for rank := range x.world {
		ranks.Go(func() { all[rank] = x.rank(t, rank, resume[rank], happened[rank]) })
	}
	ranks.Wait()
	x.tries++
	for rank := range all {
		a := &all[rank]
		if s, ok := readState(t, x.state(rank)); ok {
			a.state = &s
		}
		x.codes[rank] = a.code
		ledger, _ := os.ReadFile(x.ledger(rank)) // there may be none
		x.history = append(x.history, fmt.Sprintf("attempt %d, rank %d of %d from %v: %v, exit code %d\n%s\n%s%+v", x.tries,
			rank, x.world, resume[rank], happened[rank].names, a.code, strings.Join(a.lines, "\n"), ledger, a.state))
	}
	assert.NoError(t, x.add(all), "attempt %d", x.tries)
}

// readState reads a state, if there is one.
func readState(t *testing.T, name string) (s loader.State, ok bool) {
	t.Helper()
	text, err := os.ReadFile(name)
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
		s, ok := readState(t, x.state(rank))
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
		switch _, ok := readState(t, x.state(rank)); {
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
	d := decodetest.New(t, decoders.Options{})
	least := len(sources)
	if *chaosFirst > 0 {
		least = 1
	}
	for number := *chaosFirst; run.Trainings < least || time.Since(begin) < *chaosTime; number++ {
		source := sources[number%uint64(len(sources))]
		x := newChaos(t, d, rand.New(rand.NewPCG(run.Seed, number)), source)
		x.world, x.harmed = 1+x.IntN(short.Of(3, 2)), short.Of(20, 0)
		for resume := make([][]string, x.world); !x.ended(); resume = x.next(t) {
			require.Less(t, x.tries, 40, "it does not end")
			x.train(t, resume)
		}
		assert.NoError(t, x.judge())
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
