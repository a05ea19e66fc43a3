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
)

// RemuxOptions say what becomes of a file's packets. The zero value is all video and sound, in the container of the new file's name.
type RemuxOptions struct {
	Streams []int // their numbers in the file, in the order of the new one's; nil: all of video and sound

	// Start and End are a window in seconds by the container's clock; both 0: all. Video cannot be cut within a GOP: it begins with the
	// last key frame at or before Start, and ends before the first one at or after End. Sound begins with the video. What is written
	// begins at 0 then; else times stay as they are, as far as the container can hold them.
	Start, End float64

	// Format is FFmpeg's name for the container; empty: by the ending of the file's name. FormatOptions are the container's
	// own ("movflags": "faststart").
	Format        string
	FormatOptions map[string]string
}

// Validate reports all that is wrong with the options, as ErrOptions.
func (o RemuxOptions) Validate() error {
	var problems []error
	if !(o.Start >= 0 && o.Start <= o.End) {
		problems = append(problems, fmt.Errorf("%w: a window from %v to %v", spool.ErrOptions, o.Start, o.End))
	}
	for i, s := range o.Streams {
		if s < 0 || slices.Contains(o.Streams[:i], s) {
			problems = append(problems, fmt.Errorf("%w: stream %d is negative or there twice", spool.ErrOptions, s))
		}
	}
	return errors.Join(problems...)
}

// Remux writes the packets of a file to another container, and encodes nothing. Rotation, languages and rates come along. The file is there as
// a whole or not at all.
//
//	Ownership:    the object is lent for the call.
//	Cancellation: between packets.
//	Errors:       ErrOptions, all problems at once; ErrUnsupported for a format that this FFmpeg lacks, a container that does
//	              not take the streams, and streams without times; ErrNoSuchFrame for streams that are not there; ErrEmpty for
//	              a window without packets; those of reading and writing.
//	Cost:         reading and writing the file; with a window it is read twice.
func Remux(ctx context.Context, path string, in spool.Object, o RemuxOptions) error {
	if err := o.Validate(); err != nil {
		return err
	}
	container, err := av.ContainerOf(o.Format, path)
	if err != nil {
		return spool.InFile(err, path)
	}
	out, err := begin(path)
	if err != nil {
		return err
	}
	err = remux(ctx, out, container.Name, in, &o)
	if err == nil {
		err = out.finish(nil)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = &spool.Error{Op: "remux", Class: spool.ClassOf(err), Text: "stopped", Err: err}
	}
	if err != nil {
		return spool.InFile(errors.Join(err, out.discard()), path)
	}
	return nil
}

func remux(ctx context.Context, out *output, format string, in spool.Object, o *RemuxOptions) error {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	muxer, err := av.NewMuxer(c, format, out.temporary)
	if err != nil {
		return err
	}
	defer func() { _ = muxer.Close() }() // the file is finished by then, or thrown away
	m := &move{source: in, muxer: muxer, options: o.FormatOptions, lanes: map[int]*lane{}}
	defer m.close()
	if err := m.open(c, o.Streams); err != nil {
		return err
	}
	if o.End > 0 {
		if _, ok := in.(spool.Stream); ok {
			return &spool.Error{Op: "remux", Class: spool.ErrUnsupported, Text: "a stream cannot be cut: it is read once"}
		}
		if err := m.cut(c, o.Start, o.End); err != nil {
			return err
		}
	}
	if err := muxer.Begin(c, m.options); err != nil {
		return err
	}
	if err := m.copy(c); err != nil {
		return err
	}
	_, err = muxer.Finish(c)
	return err
}

// move brings packets from one file to another.
type move struct {
	source  spool.Object
	input   *av.Input // nil before open
	muxer   *av.Muxer
	options map[string]string
	lanes   map[int]*lane // by the stream's number in the input
}

// lane is a stream on its way.
type lane struct {
	from, to   int
	kind       av.Kind
	base       av.Ratio
	start, end int64 // in ticks: packets that begin there or between; or, of gops, the times of the key packets at both ends
	gops       bool
	begun      bool // of gops
	ended      bool
}

// place is where a packet lies.
type place uint8

const (
	before place = iota
	inside
	behind
)

func (l *lane) place(e *av.Entry) place {
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
			return behind
		}
		return inside
	}
	switch {
	case at < l.start:
		return before
	case at >= l.end:
		return behind
	}
	return inside
}

// open opens the input, and makes the lanes of the streams; nil: all of video and sound.
func (m *move) open(c *call.Call, streams []int) error {
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
		m.lanes[s] = &lane{from: s, to: to, kind: media.Streams[s].Kind, base: media.Streams[s].TimeBase, start: math.MinInt64, end: math.MaxInt64}
	}
	m.choose(m.input)
	return nil
}

// reopen has the input at its front.
func (m *move) reopen(c *call.Call) error {
	m.close()
	input, err := av.Open(c, m.source, av.InputOptions{})
	if err != nil {
		return err
	}
	m.input = input
	m.choose(input)
	return nil
}

func (m *move) choose(input *av.Input) {
	input.Select(slices.Collect(maps.Keys(m.lanes))...)
}

func (m *move) close() {
	if m.input != nil {
		_ = m.input.Close() // always nil
		m.input = nil
	}
}

// cut finds where the window begins and ends, and goes there.
func (m *move) cut(c *call.Call, start, end float64) error {
	m.options = withDefault(m.options, "avoid_negative_ts", "make_zero")
	lead := -1 // the first stream of video, which says where the others begin
	for s, l := range m.lanes {
		if l.kind == av.Video && (lead < 0 || l.to < m.lanes[lead].to) {
			lead = s
		}
	}
	lands := func(e *av.Entry) bool { return e.PTS <= ticks(start, m.lanes[m.any()].base) }
	if lead >= 0 {
		entries, first, err := m.cutVideo(c, m.lanes[lead], start, end)
		if err != nil {
			return err
		}
		start = float64(entries[first].PTS) * m.lanes[lead].base.Float()
		lands = func(e *av.Entry) bool {
			return slices.ContainsFunc(entries[:first+1], func(x av.Entry) bool { return x.PTS == e.PTS })
		}
	} else {
		lead = m.any()
	}
	for _, l := range m.lanes {
		if !l.gops {
			l.start, l.end = ticks(start, l.base), ticks(end, l.base)
		}
	}
	return m.seek(c, m.lanes[lead], start, lands)
}

// any is the stream of the new file's first.
func (m *move) any() int {
	for s, l := range m.lanes {
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

// cutVideo finds the key packets that are the ends of the window, and gives all packets and the place of the first.
func (m *move) cutVideo(c *call.Call, l *lane, start, end float64) (entries []av.Entry, first int, err error) {
	scout, err := av.Open(c, m.source, av.InputOptions{}) // not all containers lead back to their front by a seek
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = scout.Close() }() // always nil
	entries, err = scout.Scan(c, l.from)
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
		return nil, 0, &spool.Error{Op: "remux", Class: spool.ErrUnsupported, Text: "a video without key frames or without times cannot be cut"}
	}
	l.start, l.gops = entries[first].PTS, true
	return entries, first, nil
}

// margins are how many seconds before the window a seek aims, because some land late. After these it is the front.
var margins = [...]float64{0.2, 5}

// seek goes to where nothing of the window has passed, which lands tells of a packet.
func (m *move) seek(c *call.Call, l *lane, start float64, lands func(*av.Entry) bool) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	for _, margin := range margins {
		at := start - margin
		if at <= 0 || m.input.Seek(c, l.from, ticks(at, l.base)) != nil {
			break
		}
		for err = m.input.Read(c, packet); err == nil && packet.Stream() != l.from; {
			err = m.input.Read(c, packet)
		}
		if e := packet.Entry(); err == nil && lands(&e) {
			return m.input.Seek(c, l.from, ticks(at, l.base))
		}
	}
	return m.reopen(c)
}

// copy writes the packets of the window.
func (m *move) copy(c *call.Call) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	written := false
	for open := len(m.lanes); open > 0; {
		err := m.input.Read(c, packet)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		l, e := m.lanes[packet.Stream()], packet.Entry()
		if l == nil || l.ended {
			continue
		}
		if e.PTS == av.NoPTS && e.DTS == av.NoPTS {
			return &spool.Error{Op: "remux", Class: spool.ErrUnsupported, Text: fmt.Sprintf("stream %d has no times", l.from)}
		}
		switch l.place(&e) {
		case before:
			continue
		case behind:
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
