package encode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// RemuxOptions select what Remux writes. The zero value selects all video and audio streams, and the container by the
// new file's name.
type RemuxOptions struct {
	Streams []int // their indices in the file, in the order of the new file's streams; nil: all video and audio

	// Start and End are a window in seconds of the container's clock; both 0: everything. Video is only cut between GOPs:
	// it begins with the last key frame at or before Start, and ends before the first key frame at or after End. Audio
	// begins with the video. With a window the new file's times begin at 0. Otherwise times are kept as far as the
	// container can store them.
	Start, End float64

	// Format is FFmpeg's name for the container; empty: by the extension of the file's name. FormatOptions are options of
	// the container ("movflags": "faststart").
	Format        string
	FormatOptions map[string]string
}

// Validate reports every invalid option, each as a *spool.OptionError.
func (o RemuxOptions) Validate() error {
	var bad invalid.Options
	if !(o.Start >= 0 && o.Start <= o.End) {
		bad.Values([]spool.Option{{Name: "Start", Value: o.Start}, {Name: "End", Value: o.End}},
			"must ascend, from 0")
	}
	for i, s := range o.Streams {
		if s < 0 || slices.Contains(o.Streams[:i], s) {
			bad.Value("Streams", s, "must not be negative or listed twice")
		}
	}
	return bad.Err()
}

// Remux writes the packets of a file to another container without encoding them. Rotation, languages and rates are
// kept. The file appears complete or not at all.
//
//	Ownership:    the object is lent for the call.
//	Cancellation: between packets.
//	Errors:       ErrOptions, with all problems at once; ErrUnsupported for a format that this FFmpeg lacks, a container
//	              that does not support the streams, and streams without times; ErrNoSuchFrame for streams that do not
//	              exist; ErrEmpty for a window without packets; those of reading and writing.
//	Cost:         reading and writing the file; with a window it is read twice.
func Remux(ctx context.Context, path string, in spool.Object, o RemuxOptions) error {
	if err := o.Validate(); err != nil {
		return err
	}
	return toFile(ctx, path, o.Format, func(c *call.Call, muxer *av.Muxer) error { return remux(c, muxer, in, &o) })
}

func remux(c *call.Call, muxer *av.Muxer, in spool.Object, o *RemuxOptions) error {
	m := &remuxer{source: in, muxer: muxer, options: o.FormatOptions, streams: map[int]*copiedStream{}}
	defer m.close()
	if err := m.open(c, o.Streams); err != nil {
		return err
	}
	if o.End > 0 {
		if _, ok := in.(spool.Stream); ok {
			return &spool.Error{Op: "remux", Class: spool.ErrUnsupported, Text: "a stream cannot be cut: it is read once"}
		}
		if err := m.setWindow(c, o.Start, o.End); err != nil {
			return err
		}
	}
	if err := muxer.Begin(c, m.options); err != nil {
		return err
	}
	if err := m.copy(c); err != nil {
		return err
	}
	_, err := muxer.Finish(c)
	return err
}

// remuxer copies packets from one file to another.
type remuxer struct {
	source  spool.Object
	input   *av.Input // nil before open
	muxer   *av.Muxer
	options map[string]string
	streams map[int]*copiedStream // by the stream's index in the input
}

// copiedStream is a stream that is copied.
type copiedStream struct {
	from, to   int
	kind       av.Kind
	base       av.Ratio
	start, end int64 // ticks of the packets to copy; with gops: of the key packets at the start and after the end
	gops       bool
	begun      bool // the first key packet was read; only with gops
	ended      bool
}

// position is where a packet is, relative to the window.
type position uint8

const (
	before position = iota
	inside
	after
)

func (l *copiedStream) position(e *av.Entry) position {
	at := e.PTS
	if at == av.NoPTS {
		at = e.DTS
	}
	if l.gops {
		l.begun = l.begun || e.Key && at == l.start
		switch {
		case !l.begun:
			return before
		case e.Key && at == l.end:
			return after
		}
		return inside
	}
	switch {
	case at < l.start:
		return before
	case at >= l.end:
		return after
	}
	return inside
}

// open opens the input, and adds the streams to the new file; nil means all video and audio.
func (m *remuxer) open(c *call.Call, streams []int) error {
	if err := m.reopen(c); err != nil {
		return err
	}
	media := m.input.Media()
	if streams == nil {
		for _, s := range media.Streams {
			if s.Kind != av.Other {
				streams = append(streams, s.Index)
			}
		}
	}
	for _, s := range streams {
		to, err := m.muxer.AddStream(m.input, s)
		if err != nil {
			return err
		}
		m.streams[s] = &copiedStream{from: s, to: to, kind: media.Streams[s].Kind, base: media.Streams[s].TimeBase,
			start: math.MinInt64, end: math.MaxInt64}
	}
	m.choose(m.input)
	return nil
}

// reopen opens the input again, at its beginning.
func (m *remuxer) reopen(c *call.Call) error {
	m.close()
	input, err := av.Open(c, m.source, av.InputOptions{})
	if err != nil {
		return err
	}
	m.input = input
	m.choose(input)
	return nil
}

func (m *remuxer) choose(input *av.Input) {
	input.Select(slices.Collect(maps.Keys(m.streams))...)
}

func (m *remuxer) close() {
	if m.input != nil {
		_ = m.input.Close() // always nil
		m.input = nil
	}
}

// setWindow determines the window, and seeks to its beginning.
func (m *remuxer) setWindow(c *call.Call, start, end float64) error {
	m.options = withDefault(m.options, "avoid_negative_ts", "make_zero")
	lead := -1 // the first video stream, which determines where the others begin
	for s, l := range m.streams {
		if l.kind == av.Video && (lead < 0 || l.to < m.streams[lead].to) {
			lead = s
		}
	}
	early := func(e *av.Entry) bool { return e.PTS <= ticks(start, m.streams[m.firstStream()].base) }
	if lead >= 0 {
		entries, first, err := m.setVideoWindow(c, m.streams[lead], start, end)
		if err != nil {
			return err
		}
		start = float64(entries[first].PTS) * m.streams[lead].base.Float()
		early = func(e *av.Entry) bool {
			return slices.ContainsFunc(entries[:first+1], func(x av.Entry) bool { return x.PTS == e.PTS })
		}
	} else {
		lead = m.firstStream()
	}
	for _, l := range m.streams {
		if !l.gops {
			l.start, l.end = ticks(start, l.base), ticks(end, l.base)
		}
	}
	return m.seek(c, m.streams[lead], start, early)
}

// firstStream is the input's stream that becomes the first of the new file.
func (m *remuxer) firstStream() int {
	for s, l := range m.streams {
		if l.to == 0 {
			return s
		}
	}
	return 0
}

func withDefault(options map[string]string, key, value string) map[string]string {
	all := map[string]string{key: value}
	maps.Copy(all, options)
	return all
}

func ticks(seconds float64, base av.Ratio) int64 {
	return int64(math.Round(seconds * float64(base.Den) / float64(base.Num)))
}

// setVideoWindow finds the key packets at the ends of the window. It returns all packets, and the position of the first
// one to copy.
func (m *remuxer) setVideoWindow(c *call.Call, l *copiedStream, start, end float64) (entries []av.Entry, first int,
	err error) {
	scanner, err := av.Open(c, m.source, av.InputOptions{}) // not all containers can seek back to the beginning
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = scanner.Close() }() // always nil
	entries, err = scanner.Scan(c, l.from)
	if err != nil && len(entries) == 0 {
		return nil, 0, err
	}
	first = -1
	for i, e := range entries {
		if !e.Key || e.PTS == av.NoPTS {
			continue
		}
		if first < 0 || e.PTS <= ticks(start, l.base) {
			first = i
		} else if e.PTS >= ticks(end, l.base) {
			l.end = e.PTS
			break
		}
	}
	if first < 0 {
		return nil, 0, &spool.Error{Op: "remux", Class: spool.ErrUnsupported,
			Text: "a video without key frames or time stamps cannot be cut"}
	}
	l.start, l.gops = entries[first].PTS, true
	return entries, first, nil
}

// seekMargins are how many seconds before the window a seek aims, as some seeks land late. The last resort is the
// beginning of the file.
var seekMargins = [...]float64{0.2, 5}

// seek moves the input to before the first packet of the window. early reports whether a packet is early enough.
func (m *remuxer) seek(c *call.Call, l *copiedStream, start float64, early func(*av.Entry) bool) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	for _, margin := range seekMargins {
		at := start - margin
		if at <= 0 || m.input.Seek(c, l.from, ticks(at, l.base)) != nil {
			break
		}
		for err = m.input.Read(c, packet); err == nil && packet.Stream() != l.from; {
			err = m.input.Read(c, packet)
		}
		if e := packet.Entry(); err == nil && early(&e) {
			return m.input.Seek(c, l.from, ticks(at, l.base))
		}
	}
	return m.reopen(c)
}

// copy writes the packets of the window.
func (m *remuxer) copy(c *call.Call) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	written := false
	for open := len(m.streams); open > 0; {
		err := m.input.Read(c, packet)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		l, e := m.streams[packet.Stream()], packet.Entry()
		if l == nil || l.ended {
			continue
		}
		if e.PTS == av.NoPTS && e.DTS == av.NoPTS {
			return &spool.Error{Op: "remux", Class: spool.ErrUnsupported,
				Text: fmt.Sprintf("stream %d has no time stamps", l.from)}
		}
		switch l.position(&e) {
		case before:
			continue
		case after:
			l.ended = true
			open--
			continue
		}
		if err := m.muxer.Write(c, l.to, l.base, packet); err != nil {
			return err
		}
		written = true
	}
	if !written {
		return &spool.Error{Op: "remux", Class: spool.ErrEmpty, Text: "no packets to write"}
	}
	return nil
}
