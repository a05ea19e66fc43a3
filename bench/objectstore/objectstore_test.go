package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source/object"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// photos starts a store of two of them.
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
		listed, sizes = append(listed, e.Address), sizes+int64(len(p))
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

func TestCommands(t *testing.T) {
	s := settings{python: "python", script: "loaders.py", files: make([]string, 100), pictures: 6400, batch: 32, size: 224, workers: 2}
	command := s.command(contestant{Contestant: bench.Contestant{Name: "concurrent"}}, 100, "64x256")
	assert.Contains(t, command, "3200")
	assert.Equal(t, []string{"--fetchers", "64", "--pool", "256"}, command[len(command)-4:])
	assert.Contains(t, s.command(contestant{single: true}, 200, ""), "128", "of the slow some batches only")
	assert.Contains(t, s.command(contestant{single: true}, 0, ""), "3200")
}
