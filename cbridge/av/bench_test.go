package av_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/floor/media"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// BenchmarkSetUp measures the time before the first packet: opening with and without probing, and decoders new and from
// the pool.
func BenchmarkSetUp(b *testing.B) {
	for _, name := range []string{"bframes.mp4", "altref.webm", "opengop.mp4"} {
		c, err := call.Enter(b.Context(), 1)
		require.NoError(b, err)
		in := open(b, c, spool.File(small+name), av.InputOptions{})
		p, err := in.Parameters(0)
		require.NoError(b, err)
		for what, o := range map[string]av.InputOptions{"open": {}, "open-no-probe": {NoProbe: true},
			"open-no-probe-format": {NoProbe: true, Format: in.Media().Format}} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					in, err := av.Open(c, spool.File(small+name), o)
					if err != nil {
						b.Fatal(err)
					}
					in.Close()
				}
			})
		}
		b.Run(name+"/decoder", func(b *testing.B) {
			for b.Loop() {
				d, err := av.NewDecoder(c, p, av.DecoderOptions{})
				if err != nil {
					b.Fatal(err)
				}
				d.Close()
			}
		})
		b.Run(name+"/decoder-pooled", func(b *testing.B) {
			var codecs av.Codecs
			defer codecs.Close()
			for b.Loop() {
				d, err := codecs.Get(c, p, av.DecoderOptions{})
				if err != nil {
					b.Fatal(err)
				}
				codecs.Put(d)
			}
		})
		c.Leave()
	}
}

// decodeAll opens a file, decodes its best stream of a kind, and returns the number of frames or samples. With a
// scaler, frames are converted to RGB, row by row into pixels.
func decodeAll(t testing.TB, c *call.Call, path string, kind av.Kind, scaler *av.Scaler,
	pixels, scratch []byte) (n int64) {
	in, err := av.Open(c, spool.File(path), av.InputOptions{})
	require.NoError(t, err)
	defer in.Close()
	stream := in.Best(kind, -1)
	in.Select(stream)
	p, err := in.Parameters(stream)
	require.NoError(t, err)
	decoder, err := av.NewDecoder(c, p, av.DecoderOptions{})
	require.NoError(t, err)
	defer decoder.Close()
	packet, err := av.NewPacket()
	require.NoError(t, err)
	defer packet.Release()
	frame, err := av.NewFrame()
	require.NoError(t, err)
	defer frame.Release()
	for ended := false; !ended; {
		next := packet
		if err := in.Read(c, packet); errors.Is(err, io.EOF) {
			next, ended = nil, true
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, decoder.Send(c, next))
		for {
			ok, err := decoder.Receive(c, frame)
			require.NoError(t, err)
			if !ok {
				break
			}
			n += max(1, int64(frame.Samples))
			if scaler == nil {
				continue
			}
			plan := rowsOf(frame.Width, frame.Height, 0, frame.Height, spool.Uint8)
			sink, err := kernel.NewSink(plan, pixels[:frame.Width*frame.Height*3], scratch)
			require.NoError(t, err)
			err = scaler.Rows(c, frame, sink.Pointer(), av.Conversion{})
			sink.Close()
			require.NoError(t, err)
		}
	}
	return n
}

// generated is the output of make bench-media. If it is missing, the small files are used.
const generated = "../../bin/bench-media"

// BenchmarkAgainstFloor alternates with FFmpeg's own loop. It reports the median of our CPU time as a multiple of the
// floor's: 1 is as fast.
func BenchmarkAgainstFloor(b *testing.B) {
	files := map[string]string{"340x256": generated + "/video/clip0.mp4", "720p": generated + "/video/hd.mp4",
		"vp9":  small + "odd.webm",
		"hevc": small + "hdr.mp4", "small": small + "bframes.mp4", "mp3": generated + "/audio/a.mp3",
		"aac": generated + "/audio/a.m4a", "flac": generated + "/audio/a.flac", "opus": generated + "/audio/a.opus"}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	c, err := call.Enter(ctx, 1)
	require.NoError(b, err)
	defer c.Leave()
	var scaler av.Scaler
	defer scaler.Close()
	pixels, scratch := make([]byte, 1280*720*3), make([]byte, 1<<20)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		if _, err := os.Stat(file); err != nil {
			continue
		}
		kind, steps := av.Video, []string{"decode", "rgb"}
		bare := media.Video
		if strings.Contains(file, "audio") {
			kind, steps = av.Audio, steps[:1]
			bare = func(path string, _ bool) (int64, error) { return media.Audio(path) }
		}
		for _, step := range steps {
			b.Run(name+"/"+step, func(b *testing.B) {
				var converter *av.Scaler
				if step == "rgb" {
					converter = &scaler
				}
				var ratios []float64
				for b.Loop() {
					start := cpuTime(b)
					want, err := bare(file, converter != nil)
					floor := cpuTime(b) - start
					if err != nil {
						b.Fatal(err)
					}
					start = cpuTime(b)
					got := decodeAll(b, c, file, kind, converter, pixels, scratch)
					ours := cpuTime(b) - start
					if got != want {
						b.Fatal(got, want)
					}
					ratios = append(ratios, ours.Seconds()/floor.Seconds())
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "ours/floor")
			})
		}
	}
}

// cpuTime returns the CPU time of the process, which depends less on other processes than wall time.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkScan reads the entries of all packets of a stream, from the start of the file.
func BenchmarkScan(b *testing.B) {
	for _, file := range []string{small + "bframes.mp4", generated + "/video/clip0.mp4", small + "bframes.ts"} {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		b.Run(filepath.Base(file), func(b *testing.B) {
			c := enter(b, b.Context())
			in := open(b, c, spool.File(file), av.InputOptions{})
			packets := 0
			for b.Loop() {
				list, err := in.Scan(c, 0)
				if err != nil {
					b.Fatal(err)
				}
				packets = max(packets, len(list))
				if err := in.SeekByte(c, 0); err != nil {
					if err := in.Seek(c, 0, 0); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(packets), "packets")
		})
	}
}

// BenchmarkRows converts the same frame repeatedly.
func BenchmarkRows(b *testing.B) {
	for name, file := range map[string]string{"340x256": generated + "/video/clip0.mp4",
		"720p": generated + "/video/hd.mp4", "small": small + "bframes.mp4", "10-bit": small + "hdr.mp4"} {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		b.Run(name, func(b *testing.B) {
			c := enter(b, context.Background())
			d := decode(b, c, open(b, c, spool.File(file), av.InputOptions{}), av.Video, av.DecoderOptions{})
			require.True(b, d.next())
			var scaler av.Scaler
			defer scaler.Close()
			plan := rowsOf(d.frame.Width, d.frame.Height, 0, d.frame.Height, spool.Uint8)
			sink, err := kernel.NewSink(plan, make([]byte, d.frame.Width*d.frame.Height*3), make([]byte, plan.ScratchBytes()))
			require.NoError(b, err)
			defer sink.Close()
			dst := make([]byte, d.frame.Width*d.frame.Height*3)
			for b.Loop() {
				if err := sink.Begin(dst); err != nil {
					b.Fatal(err)
				}
				if err := scaler.Rows(c, d.frame, sink.Pointer(), av.Conversion{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(d.frame.Width*d.frame.Height), "ns/pixel")
		})
	}
}
