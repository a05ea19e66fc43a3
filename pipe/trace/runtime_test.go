package trace_test

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/trace"
)

// The runtime's track has each pause of the collector, as runtime.MemStats counts them, and counters.
func TestRuntime(t *testing.T) {
	var file bytes.Buffer
	w := trace.NewWriter(&file)
	begun := time.Now()
	w.Runtime()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 5 {
		runtime.GC()
		w.Worked(pipe.Span{Stage: "decode", ID: "x", Begin: time.Now(), End: time.Now()})
	}
	runtime.ReadMemStats(&after)
	require.NoError(t, w.Close())
	most := float64(time.Since(begun).Microseconds()) + 1

	var all struct {
		TraceEvents []struct {
			Ph, Name string
			Tid      int
			TS, Dur  float64
			Args     map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(file.Bytes(), &all), file.String())
	pauses, total, end, counters, tracks := 0, 0.0, 0.0, map[string][]float64{}, map[int]string{}
	for _, e := range all.TraceEvents {
		switch {
		case e.Name == "GC pause":
			assert.Equal(t, "X", e.Ph)
			assert.Contains(t, tracks[e.Tid], "garbage collector")
			assert.GreaterOrEqual(t, e.TS, end, "in order, without overlap")
			end = e.TS + e.Dur
			total += e.Dur
			pauses++
		case e.Ph == "C":
			for name, value := range e.Args {
				counters[e.Name+": "+name] = append(counters[e.Name+": "+name], value.(float64))
			}
			assert.LessOrEqual(t, e.TS, most)
		case e.Name == "thread_name":
			tracks[e.Tid] = e.Args["name"].(string)
		}
	}
	assert.GreaterOrEqual(t, pauses, int(after.NumGC-before.NumGC))
	assert.GreaterOrEqual(t, total, float64(after.PauseTotalNs-before.PauseTotalNs)/1e3-1)
	assert.LessOrEqual(t, end, most)
	require.Len(t, counters, 8)
	for name, values := range counters {
		for _, v := range values {
			assert.GreaterOrEqual(t, v, 0.0, name)
		}
	}
	assert.Positive(t, counters["process: cores in use"][0])
	assert.Positive(t, counters["Go heap: MB"][0])
	goroutines := 0.0
	for _, state := range []string{"running", "runnable", "in C or a system call", "waiting"} {
		goroutines += counters["Go goroutines: "+state][0]
	}
	assert.Positive(t, goroutines)
}
