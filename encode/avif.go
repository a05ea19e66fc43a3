package encode

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// still is an encoder of AV1 for one image. It uses one thread, as the bytes of some depend on the number.
type still struct {
	name    string
	scale   string // option of the constant quality, from 0, the best, on
	worst   int
	effort  string // option of the speed
	options map[string]string
}

// stills are the encoders in the order in which they are chosen.
var stills = [...]still{
	{"libaom-av1", "crf", 63, "cpu-used", map[string]string{"b": "0", "still-picture": "1"}},
	{"libsvtav1", "crf", 63, "preset", map[string]string{"svtav1-params": "lp=1"}},
	{"librav1e", "qp", 255, "speed", map[string]string{"rav1e-params": "threads=1"}},
}

// chooseStill returns the first of these encoders that this FFmpeg has.
func chooseStill() (still, error) {
	there := av.Encoders(av.Video, "avif")
	for _, s := range stills {
		if slices.Contains(there, s.name) {
			return s, nil
		}
	}
	return still{}, &spool.Error{Op: "encode", Class: spool.ErrUnsupported, Text: fmt.Sprintf("this FFmpeg has no "+
		"encoder of AVIF; its encoders of video are %s", strings.Join(av.Encoders(av.Video, ""), ", "))}
}

// encoding describes the stream of an image, or of its alpha.
func (s still) encoding(o ImageOptions, given Pixels, stored string, width, height int) av.Encoding {
	options := withDefault(s.options, s.scale, strconv.Itoa(((100-cmp.Or(o.Quality, defaultQuality))*s.worst+50)/100))
	options[s.effort] = strconv.Itoa(8 - cmp.Or(o.Effort, 2))
	return av.Encoding{Codec: s.name, Options: options, Global: true, Given: given.String(), Stored: stored, Width: width,
		Height: height, FrameRate: av.Ratio{Num: 1, Den: 1}}
}

// encode encodes an image of 3 or 4 channels as AVIF. Alpha is a stream of its own.
func (s still) encode(c *call.Call, pixels []byte, width, height, channels int, o ImageOptions) ([]byte, error) {
	muxer, err := av.NewMuxer(c, "avif", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = muxer.Close() }() // always nil
	color, alpha := pixels, []byte(nil)
	if channels == 4 {
		color, alpha = splitAlpha(pixels)
	}
	w := stillWriter{muxer: muxer}
	defer w.close()
	if err := w.add(c, s.encoding(o, RGB, "", width, height)); err != nil {
		return nil, err
	}
	if alpha != nil {
		if err := w.add(c, s.encoding(o, Gray, Gray.String(), width, height)); err != nil {
			return nil, err
		}
	}
	if err := muxer.Begin(c, map[string]string{"fflags": "+bitexact"}); err != nil {
		return nil, err
	}
	for i, plane := range [][]byte{color, alpha}[:len(w.encoders)] {
		if err := w.write(c, i, plane); err != nil {
			return nil, err
		}
	}
	return muxer.Finish(c)
}

// stillWriter writes one frame of each of several streams.
type stillWriter struct {
	muxer    *av.Muxer
	encoders []*av.Encoder
}

func (w *stillWriter) close() {
	for _, e := range w.encoders {
		_ = e.Close() // always nil
	}
}

// add adds a stream.
func (w *stillWriter) add(c *call.Call, e av.Encoding) error {
	encoder, err := av.NewEncoder(c, e)
	if err != nil {
		return err
	}
	w.encoders = append(w.encoders, encoder)
	_, err = w.muxer.AddEncoder(encoder)
	return err
}

// write writes the frame of a stream.
func (w *stillWriter) write(c *call.Call, stream int, pixels []byte) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	e := w.encoders[stream]
	if err := e.Image(c, pixels, 0); err != nil {
		return err
	}
	if err := e.Drain(c); err != nil {
		return err
	}
	for {
		ok, err := e.Receive(c, packet)
		if err != nil || !ok {
			return err
		}
		if err := w.muxer.Write(c, stream, e.TimeBase(), packet); err != nil {
			return err
		}
	}
}

// splitAlpha splits RGBA into RGB and alpha.
func splitAlpha(rgba []byte) (rgb, alpha []byte) {
	rgb, alpha = make([]byte, 0, len(rgba)/4*3), make([]byte, 0, len(rgba)/4)
	for i := 0; i < len(rgba); i += 4 {
		rgb, alpha = append(rgb, rgba[i:i+3]...), append(alpha, rgba[i+3])
	}
	return rgb, alpha
}
