package loader_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// meeting lets requests pass once so many of them wait at a time.
type meeting struct {
	mu      sync.Mutex
	waiting int
	need    int
	met     chan struct{}
	once    sync.Once // closes met
}

// wait waits for the others, or for the end of the request.
func (m *meeting) wait(r *http.Request) {
	m.mu.Lock()
	if m.waiting++; m.waiting == m.need {
		m.once.Do(func() { close(m.met) })
	}
	m.mu.Unlock()
	select {
	case <-m.met:
	case <-r.Context().Done():
	case <-time.After(30 * time.Second): // the test then fails
	}
	m.mu.Lock()
	m.waiting--
	m.mu.Unlock()
}

// Segments of remote videos equal those of local files, and their packets are fetched before the worker's turn: four
// segments wait for the server at a time, although one worker decodes.
func TestRemoteSegmentsAhead(t *testing.T) {
	data := minute(t)
	local := filepath.Join(t.TempDir(), "a.mp4")
	require.NoError(t, os.WriteFile(local, data, 0o600))
	w := serve(t, map[string][]byte{"/a.mp4": data}, object.Options{HedgeShare: -1})
	w.latency = 20 * time.Millisecond
	met := &meeting{need: 4, met: make(chan struct{})}
	w.spoil = func(_ http.ResponseWriter, r *http.Request, data []byte) bool {
		var from int
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-",
			&from); err == nil && from > 1<<16 && from < len(data)*9/10 {
			met.wait(r)
		}
		return false
	}
	schema := record.Schema{{Name: "clip", Input: "file", Kind: record.Video{Spec: frameSpec(32), Frames: 3,
		Start: fromStart,
		End:   untilEnd, Clips: 2}}}
	run := func(name string, remote source.Remote) (all []byte) {
		var text strings.Builder
		text.WriteString("file,start,end\n")
		for i := range 12 {
			fmt.Fprintf(&text, "%s,%d,%v\n", name, 5+4*i, 6.5+4*float64(i))
		}
		table := filepath.Join(t.TempDir(), "t.csv")
		require.NoError(t, os.WriteFile(table, []byte(text.String()), 0o600))
		src, err := source.OpenRecords(t.Context(), []string{table}, schema.Inputs(), source.Options{Remote: remote})
		require.NoError(t, err)
		got, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{Batch: 3, Workers: 1}},
			func(b *batch.Batch) []byte { return bytes.Clone(b.Memory()) })
		require.NoError(t, err)
		return bytes.Join(got, nil)
	}
	want := run(local, nil)
	assert.True(t, bytes.Equal(want, run(w.server.URL+"/a.mp4", w)))
	select {
	case <-met.met:
	default:
		t.Error("no four segments were fetched at a time")
	}
}
