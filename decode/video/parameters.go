package video

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// probes caches the results of probing video streams, by the contents of the files' headers. Probing decodes a frame,
// which takes longer than the rest of an open, and gives the same result for files with equal encoding. It is safe for
// concurrent use. The zero value is ready.
type probes struct {
	mutex sync.Mutex
	known []probed // the most recently used last
}

// probed is a stream as described by the header, and as found by probing.
type probed struct{ header, found av.Parameters }

// maxProbes bounds the cache, at about 200 bytes an entry.
const maxProbes = 64

// probe chooses a stream and finds its parameters.
func (v *Video) probe(c *call.Call, opened *av.Input) (*av.Stream, error) {
	header, telling := telling(opened)
	if telling {
		if found, ok := v.decoder.probes.get(header); ok {
			m := opened.Media()
			stream, err := container.ChooseVideo(&m, v.options.Stream, v.options.Language)
			if err == nil {
				stream.PixelFormat, v.parameters = found.PixelFormat, found
				stream.Width, stream.Height = int(found.Width), int(found.Height) // the header's may be wrong
			}
			return stream, err
		}
	}
	if err := opened.Probe(c, v.decoder.limits.MaxPixels); err != nil {
		return nil, err
	}
	m := opened.Media()
	stream, err := container.ChooseVideo(&m, v.options.Stream, v.options.Language)
	if err != nil {
		return nil, err
	}
	if v.parameters, err = opened.Parameters(stream.Index); err == nil && telling {
		v.decoder.probes.put(header, v.parameters)
	}
	return stream, err
}

// telling gives the header's description of the file's video, and whether it determines the result of probing. This
// holds for MP4 and QuickTime, with codecs whose parameter sets are in the header. Files with several videos are probed
// for the choice.
func telling(opened *av.Input) (av.Parameters, bool) {
	m := opened.Media()
	isVideo := func(s av.Stream) bool { return s.Kind == av.Video }
	i := slices.IndexFunc(m.Streams, isVideo)
	if i < 0 || slices.ContainsFunc(m.Streams[i+1:], isVideo) || !strings.HasPrefix(m.Format, "mov,") {
		return av.Parameters{}, false
	}
	p, err := opened.Parameters(m.Streams[i].Index)
	return p, err == nil && hasParameterSets(&p)
}

// hasParameterSets looks for sequence parameter sets in the records of ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1.
func hasParameterSets(p *av.Parameters) bool {
	x := p.Extradata
	switch p.Codec {
	case "h264":
		return len(x) >= 7 && x[0] == 1 && x[5]&0x1f > 0
	case "hevc":
		return len(x) >= 23 && x[0] == 1 && x[22] > 0
	}
	return false
}

// get returns what probing would find for a stream.
func (k *probes) get(header av.Parameters) (av.Parameters, bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for i, p := range slices.Backward(k.known) {
		if alike(p.header, header) {
			k.known = append(slices.Delete(k.known, i, i+1), p)
			found := p.found
			found.TimeBase, found.BitRate = header.TimeBase, header.BitRate
			return found, true
		}
	}
	return av.Parameters{}, false
}

func (k *probes) put(header, found av.Parameters) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.known = append(k.known, probed{header, found})
	if n := len(k.known) - maxProbes; n > 0 {
		k.known = slices.Delete(k.known, 0, n)
	}
}

// alike compares all parameters that come from the encoder, not from the file.
func alike(a, b av.Parameters) bool {
	if !bytes.Equal(a.Extradata, b.Extradata) {
		return false
	}
	a.TimeBase, a.BitRate = b.TimeBase, b.BitRate
	return reflect.DeepEqual(a, b)
}
