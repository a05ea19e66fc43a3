package audio

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// seeking describes how to seek to a sample so that decoding from there gives the samples of a decode from the
// beginning.
type seeking struct {
	clock bool // the container's time stamps identify samples
	// exact reports whether a seek is allowed. It needs clock, and a decoder that depends only on the latest packets,
	// unless the caller accepts nearly equal samples.
	exact   bool
	preroll int64 // samples to decode before the target
	worth   int64 // a seek must save more samples than this
	checked bool  // time stamps agree with the sample count: no samples are missing or double

	// packets are those found by a scan from the beginning, sorted by time; nil without a scan. A seek is trusted if it
	// ends at one of them: in Ogg it may give a packet the time of another.
	packets []packetPlace
}

// packetPlace identifies the packet with a time stamp.
type packetPlace struct {
	pts, pos int64
	size     int32
}

func placeOf(e av.Entry) packetPlace { return packetPlace{e.PTS, e.Pos, e.Size} }

// believes reports whether the packet after a seek has the same time stamp as in the scan.
func (a *seeking) believes(e av.Entry) bool {
	if a.packets == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(a.packets, e.PTS,
		func(p packetPlace, pts int64) int { return cmp.Compare(p.pts, pts) })
	return found && a.packets[i] == placeOf(e)
}

// seekingOf is the way of seeking for a codec in a container. Codecs whose seeks are not known to be exact are decoded
// from the beginning, unless near is good enough.
func seekingOf(format, codec string, rate int, near bool) seeking {
	a := seeking{worth: 10 * int64(rate)}
	switch {
	case isMOV(format), format == "mp3", format == "flac", format == "ogg":
		a.clock = true // time stamps of others are rounded (Matroska) or unreliable
	}
	a.exact = a.clock || near
	switch {
	case codec == "flac", codec == "alac", strings.HasPrefix(codec, "pcm_"):
		a.preroll = 0 // packets are independent
	case codec == "mp3":
		// Frames use bits of earlier frames, at most 511 bytes (255 in MPEG-2), which at the lowest rates are some 24 frames.
		// Each frame also overlaps with its predecessor.
		a.preroll = 32 * 1152
		if rate <= 24000 { // MPEG-2
			a.preroll = 32 * 576
		}
	default:
		// AAC takes its noise from a generator that is never reset, and the filters of Opus' speech layer ring for seconds.
		// After a seek both differ slightly from a decode from the beginning.
		a.exact = near
		a.preroll = int64(rate) / 2
	}
	a.checked = near && format != "ogg"
	return a
}

// seek positions the decoder at or before a sample. It continues, decodes from the beginning, or jumps to an earlier
// packet, whichever costs least and gives the same samples.
func (t *codedTrack) seek(c *call.Call, sample int64) (int64, error) {
	if t.in.IsStream() {
		if sample < t.at {
			return 0, spent(sample, t.at)
		}
		return t.at, nil
	}
	from := max(sample-t.way.preroll, 0)
	if t.way.exact && from > 0 && (sample < t.at && from > t.way.worth || from-t.at > t.way.worth) {
		ok, err := t.jump(c, sample, from)
		if ok || err != nil {
			return t.at, err
		}
		t.way.exact = false
		return 0, t.rewind(c)
	}
	if sample < t.at {
		return 0, t.rewind(c)
	}
	return t.at, nil
}

// rewind opens the input again, so that no state of earlier decoding remains.
func (t *codedTrack) rewind(c *call.Call) error {
	t.shut()
	_, err := t.open(c)
	return err
}

// reset drops samples that are not delivered. The next sample has number at, unless jump sets landing: then the time
// stamp of the next frame gives its number.
func (t *codedTrack) reset(at int64) {
	t.at, t.reportFrom = at, 0
	t.landing, t.drained = false, false
	t.pending, t.gap, t.found = resample.Samples{}, 0, nil
}

// jump seeks to sample from or an earlier one. It reports false if the container cannot seek there, or its time stamps
// are unreliable.
func (t *codedTrack) jump(c *call.Call, sample, from int64) (bool, error) {
	if ok, err := t.ready(c); !ok {
		return false, err
	}
	ticks := t.origin + int64(float64(from)*float64(t.base.Den)/(float64(t.base.Num)*float64(t.rate)))
	if err := t.input.Seek(c, t.stream, ticks); err != nil {
		return false, c.Err()
	}
	t.decoder.Flush()
	t.reset(0)
	t.landing, t.reportFrom = true, sample
	if err := t.feed(c); err != nil {
		return false, err
	}
	if t.drained || !t.way.believes(t.packet.Entry()) {
		return false, nil
	}
	if err := t.decode(c); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	return t.at >= 0 && t.at <= from, nil
}

// ready reports whether time stamps identify samples. If that is not known, it scans the packets.
func (t *codedTrack) ready(c *call.Call) (bool, error) {
	if t.way.checked && t.origin != av.NoPTS {
		return true, nil
	}
	if err := t.rewind(c); err != nil {
		return false, err
	}
	if err := t.decode(c); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if t.origin == av.NoPTS {
		return false, nil
	}
	if err := t.rewind(c); err != nil {
		return false, err
	}
	entries, err := t.input.Scan(c, t.stream)
	if err != nil {
		return false, c.Err()
	}
	packets := make([]packetPlace, 0, len(entries))
	for i, e := range entries {
		if e.PTS == av.NoPTS || i > 0 && e.PTS != entries[i-1].PTS+entries[i-1].Duration {
			return false, nil
		}
		packets = append(packets, placeOf(e))
	}
	t.way.checked, t.way.packets = true, packets
	return true, nil
}
