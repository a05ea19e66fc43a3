package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A streamed bucket gives what it gives when listed first, and what the folder gives, except for labels and the order
// of class folders.
func TestStreamedBucket(t *testing.T) {
	s := clitest.Bucket(t)
	args := []string{"--size", "32", "--digest", "--batch", "4"}
	run := func(more ...string) []string {
		return clitest.Digests(tool.Done(t, clitest.With(append([]string{"run", "images"}, more...), args...)...))
	}
	listed := run("s3://data/photos/animal/")
	require.GreaterOrEqual(t, len(listed), 2)
	for _, source := range []string{"s3://data/photos/animal/", "s3://data/photos/animal", "s3://data/photos/a*/*.jpg",
		clitest.Media + "/photos/animal"} {
		assert.Equal(t, listed, run("--streaming", source), source)
	}
	assert.Equal(t, run("--streaming", "s3://data/photos/"), run("--streaming", clitest.Media+"/photos"))

	state := filepath.Join(t.TempDir(), "state.json")
	begun := run("--streaming", "s3://data/photos/animal/", "--limit", "4", "--state-out", state)
	rest := run("--streaming", "s3://data/photos/animal/", "--resume", state)
	assert.Equal(t, listed, append(begun, rest...))
	s.Put("data", "photos/animal/!.jpg", clitest.Content(t, "photos/animal/00.jpg"))
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: s3://data/photos/animal/03.jpg: not-found: is no longer sample number 4, as in the state: " +
			"something before it was added or removed"},
		"run", "images", "--streaming", "s3://data/photos/animal/", "--resume", state)

	for _, source := range []string{"s3://data/photos/none/", "s3://data/none*", "s3://nobucket/x/"} {
		want := tool.Run("run", "images", source)
		require.Len(t, clitest.Lines(want.Stderr), 1)
		tool.Refused(t, want.Code, clitest.Lines(want.Stderr), "run", "images", "--streaming", source)
	}
	var counted struct {
		Samples, Epochs int
		Cache           struct{ Hits int } `json:"disk_cache"`
	}
	kept := []string{"run", "images", "--streaming", "s3://data/photos/", "--size", "32", "--disk-cache", t.TempDir(),
		"--json"}
	tool.Done(t, kept...)
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, kept...)), &counted))
	assert.Equal(t, counted.Samples, counted.Cache.Hits, "a folder keeps what is read, for another run")
	page := filepath.Join(t.TempDir(), "run.html")
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "run", "images", "--streaming", "s3://data/photos/", "--size",
		"32", "--json", "--report", page)), &counted))
	assert.Positive(t, counted.Samples)
	assert.Equal(t, 1, counted.Epochs)
	assert.FileExists(t, page)
}

// The first batch arrives before the store has sent more than its first page.
func TestStreamedBatchesDoNotWaitForTheListing(t *testing.T) {
	image := clitest.Content(t, "photos/animal/00.jpg")
	goOn := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); {
		case key != "":
			w.Header().Set("Content-Length", fmt.Sprint(len(image)))
			_, _ = w.Write(image)
			return
		case r.FormValue("start-after") != "":
			select {
			case <-goOn:
			case <-r.Context().Done():
				return
			}
		}
		var rows strings.Builder
		for i := range 8 {
			if key := fmt.Sprintf("p/%d.jpg", i); key > r.FormValue("start-after") &&
				(i < 4) == (r.FormValue("start-after") == "") {
				fmt.Fprintf(&rows, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", key, len(image))
			}
		}
		fmt.Fprintf(w, "<ListBucketResult>%s<IsTruncated>%v</IsTruncated></ListBucketResult>", rows.String(),
			r.FormValue("start-after") == "")
	}))
	defer server.Close()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- tool.Execute(ctx, []string{"run", "images", "--streaming", "s3://b/p/", "--batch", "4", "--size", "32",
			"--digest", "--endpoint-url", server.URL, "--no-sign-request"}, in, &stderr)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "the first batch")
	assert.Regexp(t, "^0 0 [0-9a-f]{64}$", lines.Text())
	close(goOn) // only now does the store send more names
	require.True(t, lines.Scan())
	assert.Regexp(t, "^0 1 [0-9a-f]{64}$", lines.Text())
	_, _ = io.Copy(io.Discard, out)
	assert.Zero(t, <-ended, stderr.String())
}
