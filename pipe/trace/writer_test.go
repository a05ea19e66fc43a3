package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/trace"
)

// event is an event of the format.
type event struct {
	Ph      string
	Tid     int
	TS, Dur float64
	Name    string
	BindID  string `json:"bind_id"`
	FlowIn  bool   `json:"flow_in"`
	FlowOut bool   `json:"flow_out"`
	Args    struct {
		Name, ID, File string
		Epoch          int
		Failed         bool
	}
}

// sample is an item with names.
type sample struct {
	id    string
	epoch int
}

func (s sample) ID() string                    { return s.id }
func (s sample) File() string                  { return "\xff<script>\"" + s.id }
func (s sample) Draw() (epoch, occurrence int) { return s.epoch, 0 }

// In simulated time, slices have the exact times, each worker has its own track, and a flow has all slices of an item.
func TestTrace(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w := trace.NewWriter(&file)
		p := pipe.New(pipe.Options{Observer: w, OnFailure: pipe.Skip})
		list := pipe.FromSlice(p, "list", []sample{{"a", 0}, {"b", 0}, {"a", 1}, {"bad", 1}})
		decoded := pipe.Map(list, "decode", pipe.Stage{Workers: 2}, func(_ context.Context, s sample) (sample, error) {
			time.Sleep(10 * time.Millisecond)
			if s.id == "bad" {
				return s, errors.New("bad")
			}
			return s, nil
		})
		for _, err := range pipe.Batch(decoded, "batch", pipe.Stage{}, 2).All(t.Context()) {
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())

		var all struct{ TraceEvents []event }
		require.NoError(t, json.Unmarshal(file.Bytes(), &all))
		tracks, flows, slices := map[int]string{}, map[string][]string{}, map[string]int{}
		ends := map[int]float64{}
		for _, e := range all.TraceEvents {
			if e.Ph == "M" {
				if e.Name == "thread_name" {
					tracks[e.Tid] = e.Args.Name
				}
				continue
			}
			slices[e.Name]++
			flows[e.BindID] = append(flows[e.BindID], e.Name)
			assert.Contains(t, tracks[e.Tid], e.Name, "of its stage")
			assert.True(t, e.FlowOut)
			assert.Equal(t, e.Name != "list", e.FlowIn)
			assert.GreaterOrEqual(t, e.TS, ends[e.Tid], "slices of a worker do not overlap")
			ends[e.Tid] = e.TS + e.Dur
			assert.Equal(t, "\ufffd<script>\""+e.Args.ID, e.Args.File)
			assert.Equal(t, e.Name == "decode" && e.Args.ID == "bad", e.Args.Failed)
			if e.Name == "decode" {
				assert.InDelta(t, 10_000, e.Dur, 1e-6)
			}
		}
		assert.Equal(t, map[string]int{"list": 4, "decode": 4, "batch": 3}, slices)
		assert.Len(t, flows, 4, "the same sample in another epoch is another one")
		for _, stages := range flows {
			assert.Equal(t, []string{"list", "decode", "batch"}[:len(stages)], stages)
		}
		assert.ElementsMatch(t, []string{"list 0", "decode 0", "decode 1", "batch 0"}, values(tracks))
	})
}

func values(m map[int]string) (all []string) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestCloseReturnsErrors(t *testing.T) {
	w := trace.NewWriter(full{})
	for range 1000 {
		w.Worked(pipe.Span{Stage: "s", ID: "x"})
	}
	assert.EqualError(t, w.Close(), "disk full")
}

func TestCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.json")
	w, err := trace.Create(name)
	require.NoError(t, err)
	w.Worked(pipe.Span{Stage: "s", ID: "x"})
	require.NoError(t, w.Close())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, json.Valid(text))
	_, err = trace.Create(filepath.Join(name, "none"))
	assert.ErrorIs(t, err, syscall.ENOTDIR)
}
