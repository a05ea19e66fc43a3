package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source/object"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// photos starts a store of two photos.
func photos(t *testing.T) *httptest.Server {
	t.Helper()
	s, err := newStore([]string{"../../testdata/photos/animal/00.jpg", "../../testdata/photos/animal/01.jpg"})
	require.NoError(t, err)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	return server
}

func TestStore(t *testing.T) {
	photos(t)
	c, err := object.New(object.Options{})
	require.NoError(t, err)
	defer c.Close()
	var listed []string
	var sizes int64
	began := time.Now()
	for e, err := range c.List(t.Context(), "s3://ms50/photos/") {
		require.NoError(t, err)
		p, err := read(t.Context(), c, e, nil)
		require.NoError(t, err)
		assert.Equal(t, []byte{0xff, 0xd8}, p[:2])
		listed, sizes = append(listed, e.URL), sizes+int64(len(p))
	}
	assert.Equal(t, []string{"s3://ms50/photos/000.jpg", "s3://ms50/photos/001.jpg"}, listed)
	assert.Positive(t, sizes)
	assert.Greater(t, time.Since(began), 3*40*time.Millisecond, "a listing and two photos, each at least 40 ms late")
}

func TestStoreRefuses(t *testing.T) {
	server := photos(t)
	for _, path := range []string{"/photos/000.jpg", "/ms0/photos/002.jpg"} {
		answer, err := server.Client().Get(server.URL + path)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, http.StatusNotFound, answer.StatusCode, path)
	}
}

func TestGet(t *testing.T) {
	photos(t)
	var out bytes.Buffer
	require.NoError(t, get(t.Context(), &out, []string{"s3://ms0/photos/"}, 100))
	var c client
	require.NoError(t, json.Unmarshal(out.Bytes(), &c))
	assert.Equal(t, "spool", c.Client)
	assert.Positive(t, c.CPU)
	assert.Positive(t, c.Rate)
	require.ErrorContains(t, get(t.Context(), &out, []string{"s3://ms0/videos/"}, 100), "nothing at")
}

func TestChosen(t *testing.T) {
	none, err := (&settings{}).chosen()
	require.NoError(t, err)
	assert.Empty(t, none, "without Python there is only spool")
	some, err := (&settings{python: "python", names: "spdl,concurrent"}).chosen()
	require.NoError(t, err)
	require.Len(t, some, 2)
	assert.Equal(t, "concurrent", some[1].Name)
	_, err = (&settings{python: "python", names: "nobody"}).chosen()
	require.ErrorContains(t, err, `"nobody"`)
}

// Peers are at their best of these settings.
func TestAll(t *testing.T) {
	grids := map[string]string{}
	for _, c := range (&settings{grid: grid}).all() {
		grids[c.Name] = c.grid
	}
	assert.Equal(t, map[string]string{
		"sequential": "", "workers": "w4,w8,w16,w32", "s3fs": "", "connector": "",
		"concurrent": "16x0,32x0,64x0,32x256,64x256,128x1024", "spdl": "16x0,32x0,64x0,128x0,256x0",
		"spool_torch": "", "spool_torch_collate": "", "spool_loader": "",
	}, grids)
}

func TestCommands(t *testing.T) {
	s := settings{python: "python", script: "loaders.py", files: make([]string, 100), seconds: 4, images: 4800, batch: 32,
		size: 224, workers: 2, want: "want", verified: map[string]bool{"concurrent": true}}
	command := s.command(contestant{Contestant: bench.Contestant{Name: "concurrent"}}, 100, "64x256", false)
	assert.Equal(t, []string{"--fetchers", "64", "--pool", "256"}, command[len(command)-4:])
	command = s.command(contestant{}, 100, "w16", false)
	assert.Equal(t, []string{"--workers", "16", "--want", "want"}, command[len(command)-4:])
	assert.NotContains(t, s.command(contestant{}, 100, "16x0", true), "--want", "a trial")

	single := contestant{single: true}
	for _, test := range []struct {
		who     contestant
		ms      int
		setting string
		trial   bool
		images  string
	}{
		{contestant{}, 100, "64x256", false, "1200"},
		{contestant{}, 100, "64x256", true, "600"},
		{contestant{quick: true}, 20, "", false, "4800"},
		{single, 0, "", false, "1152"}, // whole batches of two workers
		{single, 20, "", false, "384"},
		{single, 200, "", false, "64"}, // a batch in each worker takes 6 s
		{single, 0, "w16", false, "1024"},
		{single, 0, "w16", true, "512"},
		{single, 200, "w4", true, "128"},
		{single, 200, "w32", true, "1024"},
	} {
		command := s.command(test.who, test.ms, test.setting, test.trial)
		assert.Equal(t, test.images, command[slices.Index(command, "--images")+1], "%+v", test)
	}
}

// script answers like loaders.py and the command. SPDL, boto3's requests and one of the settings fail. s3fs ends the
// process.
const script = `#!/bin/sh
answer() {
case "$*" in
*doctor*) echo '{"spool":"0.0.0+1.g0123456789","go":"go1"}';;
*versions*) echo '{"boto3":"1.43"}';;
*client-obstore*) echo '{"client":"obstore","us":300,"rate":9}';;
*photos/*) echo '{"samples":200,"rate":7,"cpu_ms":1,"ttfb_s":0.1,"wall_s":2}';;
*"--fetchers 16"*) echo '{"items":10,"wall_s":2}';;
*"--fetchers 64 --pool 64"*) echo '{"items":100,"cpu_ms":2,"wall_s":10}';;
*connector*) echo 'no JSON';;
*sequential*) echo '{"items":10,"cpu_ms":3,"wall_s":5}';;
esac
}
[ "$2" = serve ] || { answer "$*"; exit; }
while read -r line; do
line=$(echo "$line" | tr -d '[]"' | tr , ' ')
case "$line" in
s3fs*) echo "Segmentation fault" >&2; exit 1;;
sleep*) sleep 60;;
client-s3fs*) echo "Segmentation fault" >&2; exit 1;;
spdl*|client-boto3*) echo '{"error":"OSError: no more threads"}';;
*) echo "{\"output\":\"$(answer "$line" | sed 's/"/\\"/g')\"}";;
esac
done
`

// TestPeers: after a process that ends or does not answer, the next run starts a new process.
func TestPeers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o700))
	s := settings{python: file, script: "loaders.py"}
	defer s.stopPeers()
	run := func(ctx context.Context, name string) (string, error) {
		out, err := s.output(ctx, "loaders.py", name)
		return string(out), err
	}
	got, err := run(t.Context(), "sequential")
	require.NoError(t, err)
	assert.JSONEq(t, `{"items":10,"cpu_ms":3,"wall_s":5}`, got)
	first := s.peers
	_, err = run(t.Context(), "spdl")
	require.EqualError(t, err, "OSError: no more threads")
	assert.Same(t, first, s.peers)
	_, err = run(t.Context(), "s3fs")
	require.EqualError(t, err, "s3fs: no answer: Segmentation fault")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = run(ctx, "sleep")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = run(t.Context(), "sequential")
	require.NoError(t, err)
}

// TestCompare: a contestant that fails has the reason instead of figures, and the others continue.
func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o700))
	s := settings{spool: file, python: file, script: "loaders.py", grid: "16x0,32x0,64x64", images: 640, batch: 32,
		workers: 2, rounds: 2, files: make([]string, 100), verified: map[string]bool{}}
	defer s.stopPeers()
	s.names = "sequential,s3fs,connector,concurrent,spdl"
	chosen, err := s.chosen()
	require.NoError(t, err)
	c, err := s.compare(t.Context(), io.Discard, chosen, 100)
	require.NoError(t, err)
	assert.True(t, c.Partial)
	assert.Len(t, c.Pairs, 2*(1+len(chosen)))
	require.Len(t, c.Contestants, 7)
	assert.Equal(t, bench.Summary{Peer: "concurrent", Label: "ConcurrentDataloader, boto3", Rate: 10, CPU: 2,
		Setting: "64x64"}, c.Contestants[5])
	assert.Equal(t, []bench.Duel{
		{Own: "spool", Other: bench.Still, Ratio: 1, CPURatio: 1, Low: 1, High: 1, Goal: 0.9},
		{Own: "spool", Other: "sequential", Ratio: 50, CPURatio: 3, Low: 50, High: 50, Goal: 30},
		{Own: "spool", Other: "s3fs"}, {Own: "spool", Other: "connector"},
		{Own: "spool", Other: "concurrent", Ratio: 10, CPURatio: 2, Low: 10, High: 10, Goal: 2},
		{Own: "spool", Other: "spdl"},
	}, c.Duels)
	assert.Contains(t, c.Contestants[3].Error, "Segmentation fault")
	assert.Contains(t, c.Contestants[4].Error, "invalid character")
	assert.Contains(t, c.Contestants[6].Error, "OSError: no more threads")
	assert.Zero(t, c.Contestants[6].Rate)
	assert.Equal(t, map[string]bool{"sequential": true, "s3fs": false, "connector": false, "concurrent": true,
		"spdl": false}, s.verified)

	r := &bench.Result{Works: []bench.Comparison{*c}}
	c.Duels[1].Ratio = 29
	var out bytes.Buffer
	require.NoError(t, show(&out, r))
	assert.Contains(t, out.String(), "MISSED: spool / sequential is 29.00, not 30.00")
	assert.NotContains(t, out.String(), "concurrent is")
	require.ErrorContains(t, failures(r), "objectstore-100: SPDL, boto3 in threads: OSError: no more threads")
	require.ErrorContains(t, failures(r), "Segmentation fault")
	require.NoError(t, failures(&bench.Result{}))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.compare(ctx, io.Discard, chosen, 100)
	require.ErrorIs(t, err, context.Canceled)
}

// A result names the commit and the build of the command, and the peers' versions.
func TestBegin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o700))
	s := settings{spool: file, python: file, script: "loaders.py"}
	defer s.stopPeers()
	r, err := s.begin(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "0123456789", r.Commit)
	assert.Equal(t, bench.StaticBuild, r.Build)
	assert.Equal(t, map[string]string{"Go": "go1", "boto3": "1.43"}, r.Versions)
}

// TestClients: the cost of a GET is the median of recorded runs, and a client that fails has the reason.
func TestClients(t *testing.T) {
	photos(t)
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o700))
	s := settings{python: file, script: "loaders.py", endpoint: os.Getenv("AWS_ENDPOINT_URL"), images: 16, rounds: 3,
		files: make([]string, 2)}
	defer s.stopPeers()
	c, err := s.clients(t.Context(), io.Discard)
	require.NoError(t, err)
	assert.False(t, c.Partial)
	assert.Len(t, c.Pairs, 3*4)
	var names []string
	for _, measured := range c.Contestants {
		names = append(names, measured.Peer)
	}
	require.Equal(t, []string{"spool", "boto3", "s3fs", "obstore", "s3torchconnector"}, names)
	assert.Equal(t, bench.Summary{Peer: "obstore", Label: "obstore", Rate: 9, CPU: 0.3}, c.Contestants[3])
	assert.Contains(t, c.Contestants[1].Error, "OSError: no more threads")
	assert.Contains(t, c.Contestants[2].Error, "Segmentation fault")
	contestants, _ := c.Figures()
	assert.Equal(t, contestants, c.Contestants)

	s.python = ""
	alone, err := s.clients(t.Context(), io.Discard)
	require.NoError(t, err)
	assert.Len(t, alone.Pairs, 3)
	assert.True(t, alone.Partial)
}

// The default latencies are the published ones.
func TestLatenciesArePublished(t *testing.T) {
	r := &bench.Result{Commit: "a"}
	for ms := range strings.SplitSeq(latencies, ",") {
		r.Works = append(r.Works, bench.Comparison{Work: bench.Work{Name: "objectstore-" + ms}, Pairs: make([]bench.Pair, 1)})
	}
	_, published := bench.Publish([]*bench.Result{r})
	assert.Equal(t, []string{"objectstore-get"}, published.Missing)
	assert.Len(t, published.Rows, len(r.Works))
}

// TestPatience: a loader that does not end is killed, also if another process holds its output.
func TestPatience(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := new(settings).output(ctx, "sh", "-c", "sleep 5; true")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
