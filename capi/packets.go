package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
)

// spool_packets is packets of a stream, in FFmpeg's memory.
type spool_packets struct{ *packets.Packets }

// Close releases the packets.
func (p *spool_packets) Close() error {
	p.Release()
	return nil
}

// demuxing is the options of spool_packets_read.
type demuxing struct {
	decoders.Demux
	key decoderKey
}

func (d *demuxing) define(set *settings.Set) (judge func()) {
	judge = set.Demux(&d.Demux)
	set.Limits(&d.key.decode.Limits)
	set.Stores(&d.key.stores)
	return judge
}

func (d *demuxing) read(ctx context.Context, in input) (p *packets.Packets, err error) {
	decoder, err := library.decoder(d.key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, decoder.release()) }()
	p, err = decoder.Packets(ctx, in.object(decoder.stores), d.Demux)
	return p, in.named(err)
}

// packetsInfo is the result of spool_packets_info.
type packetsInfo struct {
	Medium      string   `json:"medium"`
	Stream      int      `json:"stream"`
	Codec       string   `json:"codec"`
	Extradata   []byte   `json:"extradata"` // as base64
	TimeBase    [2]int   `json:"time_base"`
	Packets     int      `json:"packets"`
	Frames      int      `json:"frames"`
	Bytes       int64    `json:"bytes"`
	Start       *float64 `json:"start_s"`
	End         *float64 `json:"end_s"`
	Width       int      `json:"width"`
	Height      int      `json:"height"`
	PixelFormat string   `json:"pix_fmt"`
	Channels    int      `json:"channels"`
	Rate        int      `json:"rate"`
}

func (p *spool_packets) describe() packetsInfo {
	i, s := p.Info(), &p.Index().Stream
	finite := func(seconds float64) *float64 {
		if math.IsInf(seconds, 0) {
			return nil
		}
		return &seconds
	}
	return packetsInfo{Medium: string(i.Medium), Stream: s.Number, Codec: i.Codec, Extradata: i.Extradata,
		TimeBase: [2]int{int(s.Base.Num), int(s.Base.Den)}, Packets: i.Packets, Frames: i.Frames, Bytes: i.Bytes,
		Start: finite(i.Start), End: finite(i.End), Width: i.Width, Height: i.Height,
		PixelFormat: i.PixelFormat, Channels: i.Channels, Rate: i.Rate}
}

// packetFlags are the flags of a packet in the index, by those of C.
var packetFlags = map[index.Flags]C.int32_t{index.Key: C.SPOOL_PACKET_KEY, index.Damaged: C.SPOOL_PACKET_CORRUPT,
	index.Discard: C.SPOOL_PACKET_DISCARD, index.Disposable: C.SPOOL_PACKET_DISPOSABLE}

// list passes a table of the packets to C. Their payloads are not copied.
func (p *spool_packets) list() (*C.spool_array, error) {
	const size = C.sizeof_spool_packet
	n := len(p.Index().Packets)
	b, err := library.results.Get(context.Background(), max(1, size*n))
	if err != nil {
		return nil, err
	}
	b.SetDesc(spool.Desc{Shape: spool.Shape{n, size}})
	rows := unsafe.Slice((*C.spool_packet)(unsafe.Pointer(unsafe.SliceData(b.Bytes()))), n)
	for i, packet := range p.All() {
		x := &p.Index().Packets[i]
		rows[i] = C.spool_packet{data: unsafe.Pointer(unsafe.SliceData(packet.Data)), size: C.int64_t(len(packet.Data)),
			pts: C.int64_t(x.PTS), dts: C.int64_t(x.DTS), duration: C.int64_t(x.Duration)}
		for flag, number := range packetFlags {
			if x.Flags&flag != 0 {
				rows[i].flags |= number
			}
		}
	}
	return bufferArray(b)
}

// withPackets calls do with the packets of n handles, which stay valid during the call.
func withPackets(handles []C.uintptr_t, streams []*packets.Packets, do func([]*packets.Packets) error) error {
	if len(handles) == 0 {
		return do(streams)
	}
	return use(handles[0], func(_ context.Context, p *spool_packets) error {
		return withPackets(handles[1:], append(streams, p.Packets), do)
	})
}

//export goPacketsRead
func goPacketsRead(source *C.spool_source, json *C.char, cancel C.uintptr_t, made *C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "demux", func() error {
		var d demuxing
		if err := readOptions(json, d.define); err != nil {
			return err
		}
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			p, err := d.read(ctx, in)
			if err == nil {
				*made = register(&spool_packets{p})
			}
			return err
		})
	})
}

//export goPacketsLoad
func goPacketsLoad(data unsafe.Pointer, size C.size_t, made *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "demux", func() error {
		saved, err := cBytes(data, size)
		if err != nil {
			return err
		}
		p, err := packets.Unmarshal(saved)
		if err == nil {
			*made = register(&spool_packets{p})
		}
		return err
	})
}

//export goPacketsSave
func goPacketsSave(handle C.uintptr_t, saved **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "demux", func() error {
		return use(handle, func(_ context.Context, p *spool_packets) error {
			data, err := p.MarshalBinary()
			if err == nil {
				*saved, err = textArray(data)
			}
			return err
		})
	})
}

//export goPacketsInfo
func goPacketsInfo(handle C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(handle, func(_ context.Context, p *spool_packets) (err error) {
			*json, err = jsonArray(p.describe())
			return err
		})
	})
}

//export goPacketsList
func goPacketsList(handle C.uintptr_t, list **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(handle, func(_ context.Context, p *spool_packets) (err error) {
			*list, err = p.list()
			return err
		})
	})
}

//export goPacketsFilter
func goPacketsFilter(handle C.uintptr_t, filters *C.char, cancel C.uintptr_t, made *C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "filter", func() error {
		return use(handle, func(ctx context.Context, p *spool_packets) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				filtered, err := p.Filter(ctx, C.GoString(filters))
				if err == nil {
					*made = register(&spool_packets{filtered})
				}
				return err
			})
		})
	})
}

//export goPacketsRelease
func goPacketsRelease(handle C.uintptr_t) {
	guard(nil, "release", func() error { return release[*spool_packets](handle) })
}

//export goMux
func goMux(path *C.char, streams *C.uintptr_t, n C.size_t, json *C.char, cancel C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "mux", func() error {
		var o encode.MuxOptions
		if err := readOptions(json, func(set *settings.Set) func() {
			set.Container(&o.Format, &o.FormatOptions)
			return func() {
				if n == 0 {
					set.Refuse("packets: none to write")
				}
			}
		}); err != nil {
			return err
		}
		if path == nil {
			return fmt.Errorf("%w: no path", spool.ErrOptions)
		}
		return withPackets(unsafe.Slice(streams, n), nil, func(streams []*packets.Packets) error {
			return withCancel(context.Background(), cancel, func(ctx context.Context) error {
				return encode.Mux(ctx, C.GoString(path), streams, o)
			})
		})
	})
}

// openPackets opens packets as a video, which holds the decoder until it is closed.
func openPackets(ctx context.Context, s *spool_video_spec, p *spool_packets) (*spool_video, error) {
	d, err := library.decoder(s.key)
	if err != nil {
		return nil, err
	}
	v, err := d.Videos.OpenPackets(ctx, p.Packets, s.Open)
	if err != nil {
		return nil, errors.Join(err, d.release())
	}
	return &spool_video{Video: v, decoder: d, serial: newSerial()}, nil
}

//export goVideoOpenPackets
func goVideoOpenPackets(spec, packets, cancel C.uintptr_t, video *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "open", func() error {
		return use(spec, func(_ context.Context, s *spool_video_spec) error {
			return use(packets, func(ctx context.Context, p *spool_packets) error {
				return withCancel(ctx, cancel, func(ctx context.Context) error {
					v, err := openPackets(ctx, s, p)
					if err == nil {
						*video = register(v)
					}
					return err
				})
			})
		})
	})
}
