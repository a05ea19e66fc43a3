package av_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
)

// FuzzDecode opens any input, scans it, seeks, and decodes to pixels or samples. Each step succeeds or returns an error
// with a class, and nothing hangs.
func FuzzDecode(f *testing.F) {
	mutate.Fuzz(f, mutate.Files(f, 1<<20, small+"*", "testdata/*.[^s]*"), survive)
}

// Limits on what is decoded of a file, larger than real files need.
const (
	fuzzPixels  = 1 << 17
	fuzzFrames  = 40
	fuzzPackets = 1000
)

func survive(t testing.TB, data []byte, knobs uint64) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := call.Enter(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	var s spool.Object = spool.Bytes{Data: data}
	switch {
	case len(data) == 0 || knobs&7 == 1:
		s = spool.Stream{Reader: bytes.NewReader(data)}
	case knobs&7 == 2:
		s = object{read: readerAt(data), size: len(data)}
	}
	in, err := av.Open(c, s, av.InputOptions{NoProbe: knobs&8 != 0, MaxPixels: fuzzPixels})
	if err != nil {
		requireClass(t, err)
		return
	}
	fuzzed.Accept()
	defer in.Close()
	_, isStream := s.(spool.Stream)
	for _, stream := range in.Media().Streams {
		if stream.Kind == av.Other {
			continue
		}
		surviveStream(t, c, in, stream.Index, !isStream, knobs>>4)
	}
}

func surviveStream(t testing.TB, c *call.Call, in *av.Input, stream int, seekable bool, knobs uint64) {
	in.Select(stream)
	if seekable && knobs&1 == 0 {
		entries, err := in.Scan(c, stream)
		if err != nil {
			requireClass(t, err)
		}
		to := int64(0)
		if len(entries) > 0 {
			to = entries[int(knobs>>1)%len(entries)].DTS
		}
		if err := in.Seek(c, stream, to); err != nil {
			requireClass(t, err)
		}
	}
	p, err := in.Parameters(stream)
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := av.NewDecoder(c, p, av.DecoderOptions{MaxPixels: fuzzPixels})
	if err != nil {
		requireClass(t, err)
		return
	}
	defer decoder.Close()
	packet, err := av.NewPacket()
	if err != nil {
		t.Fatal(err)
	}
	defer packet.Release()
	frame, err := av.NewFrame()
	if err != nil {
		t.Fatal(err)
	}
	defer frame.Release()
	var scaler av.Scaler
	defer scaler.Close()
	decoder.SkipNonReference(knobs&2 != 0)
	frames := 0
	for range fuzzPackets {
		err := in.Read(c, packet)
		switch {
		case errors.Is(err, io.EOF):
			err = decoder.Send(c, nil)
		case err == nil:
			err = decoder.Send(c, packet)
		default:
			requireClass(t, err)
			return
		}
		if err != nil {
			requireClass(t, err)
		}
		for ok := true; ok; {
			if ok, err = decoder.Receive(c, frame); err != nil {
				requireClass(t, err)
				break // some decoders return the error forever
			}
			if ok {
				surviveFrame(t, c, &scaler, frame, knobs)
				if frames++; frames == fuzzFrames {
					return
				}
			}
		}
		if packet.Entry().Size == 0 {
			return
		}
	}
}

func surviveFrame(t testing.TB, c *call.Call, scaler *av.Scaler, frame *av.Frame, knobs uint64) {
	if frame.Samples > 0 {
		planes, err := frame.Planes(nil)
		if err != nil || len(planes) == 0 || frame.Channels < 1 {
			t.Fatalf("%d planes of %d channels: %v", len(planes), frame.Channels, err)
		}
		return
	}
	if frame.Width < 1 || frame.Height < 1 || frame.Width*frame.Height > 2*fuzzPixels { // coded and shown sizes can differ
		t.Fatalf("a frame of %dx%d", frame.Width, frame.Height)
	}
	dtype := spool.Uint8
	if knobs&4 != 0 {
		dtype = spool.Uint16
	}
	plan := rowsOf(frame.Width, frame.Height, 0, frame.Height, dtype)
	sink, err := kernel.NewSink(plan, make([]byte, frame.Width*frame.Height*3*dtype.Size()),
		make([]byte, plan.ScratchBytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if err := scaler.Rows(c, frame, sink.Pointer(), av.Conversion{Deep: dtype == spool.Uint16}); err != nil {
		requireClass(t, err)
	} else if sink.Rows() != frame.Height {
		t.Fatalf("%d rows of %d", sink.Rows(), frame.Height)
	}
}

// requireClass fails for an error that is not about the input, and for a call that took too long.
func requireClass(t testing.TB, err error) {
	if errors.Is(err, spool.ErrTimeout) {
		t.Fatal("hangs: ", err)
	}
	if spool.ClassOf(err) == "" {
		t.Fatal("no class: ", err)
	}
}
