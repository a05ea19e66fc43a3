package main

/*
#include "spool.h"
*/
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

// spool_writer writes a file of video, audio or both.
type spool_writer struct {
	*encode.Writer
	serial serial
	memory *bytes.Buffer // the file, if it has no path
}

// defineWriter defines the options of a file, and returns a function that completes them.
func defineWriter(set *settings.Set, o *encode.Options) (judge func()) {
	var v encode.Video
	a := encode.Audio{}
	set.Size("size", "", "of the frames", &v.Width, &v.Height)
	set.Add("fps", "F", "", "frames a second", func(text string) (err error) {
		if v.Rate, err = strconv.ParseFloat(text, 64); err != nil || !(v.Rate > 0) {
			return errors.New("must be a number above 0")
		}
		return nil
	})
	settings.Choice(set, "pixels", &v.Pixels, "", "of the frames that are given", map[string]encode.Pixels{
		"rgb": encode.RGB, "gray": encode.Gray, "rgba": encode.RGBA, "yuv420p": encode.YUV420P, "rgb16": encode.RGB16,
		"gray16": encode.Gray16})
	set.Boolean("timed", &v.Timed, false, "frames come with their times")
	set.Text("codec", &v.Codec, "NAME", "FFmpeg's name of a codec or an encoder")
	set.Pairs("codec-option", "an FFmpeg option for the encoder", &v.CodecOptions)
	set.Text("stored", &v.Stored, "NAME", "FFmpeg's name of the stored pixel format")
	set.Number("threads", &v.Threads, "", 1, "of the encoder")
	set.Number("rate", &a.Rate, "", 1, "audio samples a second")
	set.Number("channels", &a.Channels, "1", 1, "of the audio")
	set.AudioArray(&a.DType, &a.Layout)
	set.Text("audio-codec", &a.Codec, "NAME", "FFmpeg's name of a codec or an encoder")
	set.Pairs("audio-codec-option", "an FFmpeg option for the encoder", &a.CodecOptions)
	set.Container(&o.Format, &o.FormatOptions)
	return func() {
		if v.Width > 0 {
			o.Video = &v
		}
		if a.Rate > 0 {
			o.Audio = &a
		}
		if o.Video == nil && o.Audio == nil {
			set.Refuse("size or rate: the file has neither video nor audio")
			return
		}
		set.Check(o.Validate())
	}
}

func openWriter(ctx context.Context, path *C.char, json *C.char) (w *spool_writer, err error) {
	var o encode.Options
	if err := readOptions(json, func(set *settings.Set) func() {
		judge := defineWriter(set, &o)
		return func() {
			if judge(); path == nil && o.Format == "" {
				set.Refuse("format: needed for a file in memory")
			}
		}
	}); err != nil {
		return nil, err
	}
	w = &spool_writer{serial: newSerial()}
	if path != nil {
		w.Writer, err = encode.Create(ctx, C.GoString(path), o)
	} else {
		w.memory = new(bytes.Buffer)
		w.Writer, err = encode.New(ctx, w.memory, o)
	}
	return w, err
}

// write calls do for one call at a time.
func (w *spool_writer) write(ctx context.Context, cancel C.uintptr_t, do func(context.Context) error) error {
	return withCancel(ctx, cancel, func(ctx context.Context) error {
		return w.serial.do(ctx, func() error { return do(ctx) })
	})
}

// arrayOf returns the memory of a caller's view, and its desc.
func arrayOf(view *C.spool_array_view) (data []byte, d spool.Desc, err error) {
	if d, err = descOf(view); err == nil {
		data, err = cBytes(view.data, C.size_t(view.size))
	}
	return data, d, err
}

//export goWriterOpen
func goWriterOpen(path, json *C.char, cancel C.uintptr_t, made *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "write", func() error {
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			w, err := openWriter(ctx, path, json)
			if err == nil {
				*made = register(w)
			}
			return err
		})
	})
}

//export goWriterFrames
func goWriterFrames(writer C.uintptr_t, view *C.spool_array_view, seconds *C.double, cancel C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "write", func() error {
		return use(writer, func(ctx context.Context, w *spool_writer) error {
			pixels, d, err := arrayOf(view)
			if err != nil {
				return err
			}
			return w.write(ctx, cancel, func(ctx context.Context) error {
				if seconds == nil {
					return w.Frames(ctx, pixels, d)
				}
				n := 1
				if len(d.Shape) == 4 {
					n = d.Shape[0]
				}
				return w.FramesAt(ctx, pixels, d, unsafe.Slice((*float64)(seconds), n))
			})
		})
	})
}

//export goWriterSamples
func goWriterSamples(writer C.uintptr_t, view *C.spool_array_view, cancel C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "write", func() error {
		return use(writer, func(ctx context.Context, w *spool_writer) error {
			samples, d, err := arrayOf(view)
			if err != nil {
				return err
			}
			return w.write(ctx, cancel, func(ctx context.Context) error { return w.Samples(ctx, samples, d) })
		})
	})
}

//export goWriterFinish
func goWriterFinish(writer, cancel C.uintptr_t, file **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "write", func() error {
		return use(writer, func(ctx context.Context, w *spool_writer) error {
			return w.write(ctx, cancel, func(ctx context.Context) (err error) {
				if err := w.Finish(ctx); err != nil {
					return err
				}
				if *file = nil; w.memory != nil {
					*file, err = textArray(w.memory.Bytes())
				}
				return err
			})
		})
	})
}

//export goWriterClose
func goWriterClose(writer C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_writer](writer) })
}

//export goRemux
func goRemux(path *C.char, source *C.spool_source, json *C.char, cancel C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "remux", func() error {
		var (
			o    encode.RemuxOptions
			with object.Options
		)
		if err := readOptions(json, func(set *settings.Set) func() {
			set.Seconds("start", "the begin of the window", &o.Start)
			set.Seconds("end", "the end of the window", &o.End)
			set.Add("streams", "N,...", "", "their indices in the file", func(text string) error {
				for number := range strings.SplitSeq(text, ",") {
					n, err := strconv.Atoi(number)
					if err != nil {
						return errors.New("must be a list of numbers")
					}
					o.Streams = append(o.Streams, n)
				}
				return nil
			})
			set.Container(&o.Format, &o.FormatOptions)
			set.Stores(&with)
			return func() {
				if o.Start > 0 && o.End == 0 {
					o.End = math.MaxInt32 // later than all ends
				}
				set.Check(o.Validate())
			}
		}); err != nil {
			return err
		}
		if path == nil {
			return fmt.Errorf("%w: no path", spool.ErrOptions)
		}
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) (err error) {
			stores, err := object.New(with)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, stores.Close()) }()
			return in.named(encode.Remux(ctx, C.GoString(path), in.object(stores), o))
		})
	})
}
