package decode

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

// approach is how a decoder comes to a sample in the middle so that it gives the same as one that began at the front.
type approach struct {
	clock   bool  // the container's time stamps tell samples
	exact   bool  // and the decoder's memory is finite, so that it can; or near is good enough
	preroll int64 // samples that it has to decode before
	worth   int64 // samples less to decode that make it worth while
	checked bool  // that no samples are missing or double, which would make time stamps differ from the count

	// packets are those that a scan from the front found, in order of time; nil where none was made. A seek is believed when it
	// ends at one of them: in Ogg it may give a packet the time of another one.
	packets []packetPlace
}

// packetPlace is which packet has a time.
type packetPlace struct {
	pts, pos int64
	size     int32
}

func placeOf(e av.Entry) packetPlace { return packetPlace{e.PTS, e.Pos, e.Size} }

// believes reports whether a packet that follows a seek has the time that it has in a scan.
func (a *approach) believes(e av.Entry) bool {
	if a.packets == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(a.packets, e.PTS, func(p packetPlace, pts int64) int { return cmp.Compare(p.pts, pts) })
	return found && a.packets[i] == placeOf(e)
}

// approachOf is that of a codec in a container. What is not known to be exact begins at the front, unless near is good
// enough.
func approachOf(format, codec string, rate int, near bool) approach {
	a := approach{worth: 10 * int64(rate)}
	switch {
	case isMOV(format), format == "mp3", format == "flac", format == "ogg":
		a.clock = true // those of others are rounded (Matroska), or not to be trusted
	}
	a.exact = a.clock || near
	switch {
	case codec == "flac", codec == "alac", strings.HasPrefix(codec, "pcm_"):
		a.preroll = 0 // each packet stands for itself
	case codec == "mp3":
		// Frames borrow bits from those before, 511 bytes at most (255 of MPEG-2), which at the lowest rates are some
		// 24 frames; and they overlap with the last one.
		a.preroll = 32 * 1152
		if rate <= 24000 { // MPEG-2
			a.preroll = 32 * 576
		}
	default:
		// AAC draws its noise from a generator that nothing sets again, and the filters of Opus' speech layer ring for
		// seconds: both differ from a decode from the front, if not by much.
		a.exact = near
		a.preroll = int64(rate) / 2
	}
	a.checked = near && format != "ogg"
	return a
}

// seek decodes on, or from the front, or goes to a packet before the sample, whatever is less work and gives the same
// samples.
func (t *codedTrack) seek(c *call.Call, sample int64) (int64, error) {
	if t.in.isStream() {
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

// rewind opens the input again, so that nothing of what was decoded before is left.
func (t *codedTrack) rewind(c *call.Call) error {
	t.shut()
	_, err := t.open(c)
	return err
}

// reset forgets what is under way. The next sample is number at, or told by the next frame.
func (t *codedTrack) reset(at int64) {
	t.at, t.quiet = at, 0
	t.landing, t.drained = false, false
	t.held, t.gap, t.found = resample.Samples{}, 0, nil
}

// jump seeks to sample from or one before. It reports false where the container does not lead there, or could
// mislead.
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
	t.landing, t.quiet = true, sample
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

// ready sees to it that time stamps tell samples.
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
