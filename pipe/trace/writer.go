package trace

import (
	"bufio"
	"encoding/json"
	"hash/maphash"
	"io"
	"os"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spoolmedia/spool/pipe"
)

// Writer writes a trace. It is an Observer of a pipeline, and safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	out    *bufio.Writer
	begun  time.Time
	tracks map[track]int // numbers of the tracks, from 1
	order  map[string]int
	seed   maphash.Seed
	line   []byte // reused
	closed bool
	err    error     // the first one of out
	file   io.Closer // nil: the caller closes it

	runtime *goRuntime // nil: none
}

// track is a worker of a stage.
type track struct {
	stage  string
	worker int
	lane   int // 0 is the worker's own
}

// stageTracks is the number of tracks of a stage: more workers than any stage has.
const stageTracks = lanes << 16

// Create returns a trace that begins now, in a new file, with what Go's runtime does. Close closes the file.
func Create(name string) (*Writer, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	t := NewWriter(file)
	t.file = file
	t.Runtime()
	return t, nil
}

// NewWriter returns a trace that begins now. The caller closes w after the Writer.
func NewWriter(w io.Writer) *Writer {
	t := &Writer{out: bufio.NewWriterSize(w, 1<<16), begun: time.Now(), tracks: map[track]int{}, order: map[string]int{},
		seed: maphash.MakeSeed()}
	t.line = append(t.line, `{"displayTimeUnit":"ms","traceEvents":[`+
		`{"ph":"M","pid":1,"name":"process_name","args":{"name":"spool"}}`...)
	t.write()
	return t
}

// Details returns that slices show the parts of their items.
func (t *Writer) Details() pipe.Details { return pipe.WithParts }

// Worked writes an item's slice. It keeps the first error of the file for Close.
func (t *Writer) Worked(s pipe.Span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.err != nil {
		return
	}
	t.slice(t.track(track{s.Stage, s.Worker, 0}), s.Begin, s.End, s.Stage)
	b := t.line
	if s.ID != "" { // the numbers of stages that drop items differ
		b = append(b, `,"bind_id":"0x`...)
		b = strconv.AppendUint(b, t.flow(&s), 16)
		b = append(b, `","flow_out":true`...)
		if !s.Source {
			b = append(b, `,"flow_in":true`...)
		}
	}
	b = append(b, `,"args":{"id":`...)
	if s.ID != "" {
		b = quoted(b, s.ID)
	} else {
		b = strconv.AppendInt(b, s.Number, 10)
	}
	if s.File != "" {
		b = append(b, `,"file":`...)
		b = quoted(b, s.File)
	}
	b = append(b, `,"epoch":`...)
	b = strconv.AppendInt(b, int64(s.Epoch), 10)
	if s.Failed {
		b = append(b, `,"failed":true`...)
	}
	if s.LeftOut > 0 {
		b = append(b, `,"left_out":`...)
		b = strconv.AppendInt(b, int64(s.LeftOut), 10)
	}
	b = append(b, "}}"...)
	t.line = b
	t.write()
	t.parts(&s)
}

// track returns the number of a track, and writes its name when it is new. The caller has the lock.
func (t *Writer) track(k track) int {
	if number, ok := t.tracks[k]; ok {
		return number
	}
	stage, ok := t.order[k.stage]
	if !ok {
		stage = len(t.order) + 1
		t.order[k.stage] = stage
	}
	number := stage*stageTracks + lanes*k.worker + k.lane
	t.tracks[k] = number
	name := k.stage + " " + strconv.Itoa(k.worker)
	if k.lane > 0 {
		name += ", at the same time " + strconv.Itoa(k.lane)
	}
	t.name(number, name)
	return number
}

// name writes the name of a track, and its place among the others. The caller has the lock.
func (t *Writer) name(number int, name string) {
	for _, event := range []string{"thread_name", "thread_sort_index"} {
		b := t.line[:0]
		b = append(b, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":"...)
		b = strconv.AppendInt(b, int64(number), 10)
		b = append(b, `,"name":"`+event+`","args":{`...)
		if event == "thread_name" {
			b = append(b, `"name":`...)
			b = quoted(b, name)
		} else {
			b = append(b, `"sort_index":`...)
			b = strconv.AppendInt(b, int64(number), 10)
		}
		b = append(b, "}}"...)
		t.line = b
		t.write()
	}
}

// flow returns what the slices of an item have in common: the item's ID, its epoch and its occurrence.
func (t *Writer) flow(s *pipe.Span) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	_, _ = h.WriteString(s.ID) // never fails
	var draw [48]byte
	epoch := append(strconv.AppendInt(draw[:0], int64(s.Epoch), 10), '/')
	_, _ = h.Write(strconv.AppendInt(epoch, int64(s.Occurrence), 10))
	return h.Sum64() >> 1 // some readers have signed numbers
}

// write writes the line, and empties it.
func (t *Writer) write() {
	if t.err == nil {
		_, t.err = t.out.Write(t.line)
	}
	t.line = t.line[:0]
}

// Close ends the trace, and returns the first error of writing. The trace leaves out work that ends later.
func (t *Writer) Close() error {
	t.runtime.end()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.line = append(t.line, "\n]}\n"...)
	t.write()
	if t.err == nil {
		t.err = t.out.Flush()
	}
	if t.file != nil {
		if err := t.file.Close(); t.err == nil {
			t.err = err
		}
	}
	return t.err
}

// microseconds appends a time with three decimals.
func microseconds(b []byte, d time.Duration) []byte {
	if d < 0 { // of an item that began before the trace
		b, d = append(b, '-'), -d
	}
	n := uint64(d) // the negation of the least time is the same bits
	b = strconv.AppendUint(b, n/1000, 10)
	return append(b, '.', byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))
}

// quoted appends text as JSON. Bytes that are not UTF-8 become U+FFFD.
func quoted(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			all, err := json.Marshal(text)
			if err != nil {
				panic(err) // text has no errors
			}
			return append(b, all...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
