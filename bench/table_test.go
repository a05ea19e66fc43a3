package bench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
)

var (
	images = []string{"images", "train", "large", "png", "webp"}
	videos = []string{"video", "videofull", "hd"}
	audios = []string{"wav", "flac", "mp3", "aac", "opus"}
	stores = []string{"objectstore-0", "objectstore-20", "objectstore-50", "objectstore-100", "objectstore-200",
		"objectstore-get"}
)

// measured returns a result of works, at a minute of a fixed hour.
func measured(commit string, minutes int, works ...[]string) *bench.Result {
	r := &bench.Result{Commit: commit, Date: time.Date(2026, 11, 21, 12, minutes, 0, 0, time.UTC),
		Machine: bench.Machine{CPU: "Some CPU", Cores: 2}}
	for _, names := range works {
		for _, name := range names {
			r.Works = append(r.Works, bench.Comparison{Work: bench.Work{Name: name}, Pairs: make([]bench.Pair, 1)})
		}
	}
	return r
}

// namesOf returns the works of a table, and checks that each result is of the table's commit.
func namesOf(t *testing.T, table bench.Table) (names []string) {
	t.Helper()
	for _, row := range table.Rows {
		assert.Equal(t, table.Commit, row.Result.Commit, row.Work.Name)
		names = append(names, row.Work.Name)
	}
	return names
}

func TestPublishOfOneCommit(t *testing.T) {
	whole := measured("a", 1, audios, videos, images)
	files, store := bench.Publish([]*bench.Result{whole, measured("a", 2, stores)})
	require.Len(t, files, 1)
	assert.Equal(t, append(append(append([]string(nil), images...), videos...), audios...), namesOf(t, files[0]),
		"in the order of publishing")
	assert.Empty(t, files[0].Missing)
	assert.Equal(t, stores, namesOf(t, store))

	files, store = bench.Publish([]*bench.Result{measured("a", 1, images)})
	require.Len(t, files, 1)
	assert.Empty(t, store.Rows)
}

// The newest commit with all works of a table is published, and rows of other commits are left out.
func TestPublishDoesNotMix(t *testing.T) {
	old, newer, part := measured("a", 1, images, videos, audios), measured("b", 2, videos, audios, stores), measured("c",
		3, []string{"png", "mp3", "objectstore-100"})
	files, store := bench.Publish([]*bench.Result{part, newer, old})
	require.Len(t, files, 2)
	assert.Equal(t, "a", files[0].Commit)
	assert.Equal(t, images, namesOf(t, files[0]))
	assert.Equal(t, "b", files[1].Commit)
	assert.Len(t, namesOf(t, files[1]), len(videos)+len(audios))
	assert.Equal(t, "b", store.Commit)
	assert.Len(t, namesOf(t, store), len(stores))

	static := measured("b", 4, []string{"hd"})
	static.Build = bench.StaticBuild
	files, _ = bench.Publish([]*bench.Result{old, newer, static})
	assert.Same(t, newer, files[1].Rows[2].Result, "another build of that commit has a table of its own")

	again := measured("b", 4, []string{"hd"})
	files, _ = bench.Publish([]*bench.Result{old, newer, again})
	assert.Same(t, again, files[1].Rows[2].Result, "of one commit the newest run counts")
	assert.Same(t, newer, files[1].Rows[1].Result)
}

// If no commit is complete, that with the most rows is published, and the missing works are named.
func TestPublishNamesWhatIsMissing(t *testing.T) {
	files, _ := bench.Publish([]*bench.Result{measured("a", 1, images[:1]), measured("b", 2, images[1:3]),
		measured("c", 3, images[2:3])})
	require.Len(t, files, 1)
	assert.Equal(t, "b", files[0].Commit)
	assert.Equal(t, images[1:3], namesOf(t, files[0]))
	assert.Equal(t, images[:1], files[0].Missing)
}

// Works on generated media are preferred to newer and to more works on others.
func TestPublishPrefersGeneratedMedia(t *testing.T) {
	generated, other := measured("a", 1, stores[3:5]), measured("b", 2, stores)
	for i := range generated.Works {
		generated.Works[i].Work.Set = "generated photos/*.jpg"
	}
	generated.Works = append(generated.Works, measured("a", 1, stores[:1]).Works...)
	_, store := bench.Publish([]*bench.Result{generated, other})
	assert.Equal(t, "a", store.Commit)
	assert.Equal(t, stores[3:5], namesOf(t, store))
	_, store = bench.Publish([]*bench.Result{other})
	assert.Equal(t, stores, namesOf(t, store), "nothing ran on generated media")
}

func TestPublishRefuses(t *testing.T) {
	partial, unrecorded := measured("b", 2, images), measured("c", 3, stores)
	for i := range partial.Works {
		partial.Works[i].Partial = true
	}
	unrecorded.Works[5].Pairs = nil
	files, store := bench.Publish([]*bench.Result{partial, unrecorded})
	assert.Empty(t, files, "only some of the contestants ran")
	assert.Equal(t, stores[:5], namesOf(t, store), "without recorded runs")
	assert.Equal(t, stores[5:], store.Missing)

	changed, more := measured("a+changes", 1, images), measured("a+changes", 2, videos)
	other := measured("a", 3, audios)
	elsewhere := measured("a", 4, stores[:3])
	elsewhere.Machine.Cores = 64
	files, store = bench.Publish([]*bench.Result{changed, more, other, elsewhere, measured("a", 5, stores[3:5])})
	require.Len(t, files, 3, "uncommitted changes may be any")
	assert.Equal(t, stores[:3], namesOf(t, store), "of one machine")
}

// A work is measured once at a commit on a machine, with the same settings. What was noisy is measured again.
func TestMeasured(t *testing.T) {
	begun := measured("a", 9)
	work := bench.Work{Name: "images", Rounds: 5, Seconds: 5, Repeat: 2}
	had := func(change func(*bench.Result)) bool {
		r := measured("a", 1, images)
		r.Works[0].Work = bench.Work{Name: "images", Rounds: 5, Seconds: 5, Repeat: 29, Megapixels: 0.2}
		change(r)
		got := bench.Measured([]*bench.Result{measured("b", 0, images), r}, begun, work)
		assert.True(t, got == nil || got == r)
		return got != nil
	}
	assert.True(t, had(func(*bench.Result) {}))
	for name, change := range map[string]func(*bench.Result){
		"settings":    func(r *bench.Result) { r.Works[0].Work.Rounds = 1 },
		"seconds":     func(r *bench.Result) { r.Works[0].Work.Seconds = 0.5 },
		"machine":     func(r *bench.Result) { r.Machine.Cores = 64 },
		"commit":      func(r *bench.Result) { r.Commit = "a+changes" },
		"contestants": func(r *bench.Result) { r.Works[0].Partial = true },
		"runs":        func(r *bench.Result) { r.Works[0].Pairs = nil },
		"noise":       func(r *bench.Result) { r.Machine.Load = bench.Quiet + 0.01 },
	} {
		assert.False(t, had(change), name)
	}
	begun.Machine.Load = 3
	assert.True(t, had(func(r *bench.Result) { r.Machine.Load = 4 }), "a busy machine would measure noise again")
	begun.Commit = "a+changes"
	assert.False(t, had(func(r *bench.Result) { r.Commit = "a+changes" }), "changes may be any")
	begun.Commit = "(devel)"
	assert.False(t, had(func(r *bench.Result) { r.Commit = "(devel)" }), "an unknown commit may be any")
	begun.Commit, work.Seconds = "a", 0
	assert.False(t, had(func(r *bench.Result) { r.Works[0].Work.Seconds = 0 }), "the number of items is a setting")

	none, err := bench.Earlier(t.TempDir())
	require.NoError(t, err)
	assert.Empty(t, none)
}

// TestRecordedTables: all rows of a table of the recorded results are of one commit, and those of files on generated
// media.
func TestRecordedTables(t *testing.T) {
	all, err := bench.ReadAll("results")
	require.NoError(t, err)
	files, store := bench.Publish(all)
	require.NotEmpty(t, files)
	for _, table := range append(files, store) {
		assert.NotEmpty(t, namesOf(t, table))
	}
	for _, table := range files {
		for _, row := range table.Rows {
			assert.Regexp(t, "^generated ", row.Work.Set, row.Work.Name)
		}
	}
}

func TestElsewhere(t *testing.T) {
	here := measured("a", 0, []string{"images", "train"})
	older, newer := measured("a", 1, []string{"images"}), measured("b", 2, []string{"images", "png"})
	older.Machine.CPU, newer.Machine.CPU = "other", "other"
	newer.Works[1].Partial = true
	empty := measured("b", 3, []string{"webp"})
	empty.Machine.CPU, empty.Works[0].Pairs = "other", nil
	stores := measured("c", 4, []string{"objectstore-100"}) // of a newer commit, which has no files
	stores.Machine.CPU, stores.Works[0].Work.Kind = "other", bench.Remote
	results := []*bench.Result{here, older, newer, empty, stores}
	files, _ := bench.Publish(results)

	rows := bench.Elsewhere(results, files)
	require.Len(t, rows, 2)
	for i, name := range []string{"images", "png"} {
		assert.Equal(t, name, rows[i].Work.Name)
		assert.Same(t, newer, rows[i].Result)
	}
	assert.Empty(t, bench.Elsewhere([]*bench.Result{here}, files))
	assert.Empty(t, bench.Elsewhere(results, nil))
}
