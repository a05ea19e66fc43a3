package audio

import (
	"sort"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// seek decodes on, or continues at a frame that a search by the sample numbers in frame headers finds.
func (t *flacTrack) seek(c *call.Call, sample int64) (int64, error) {
	if t.fallback != nil {
		t.skip = 0
		return t.fallback.seek(c, sample)
	}
	if t.at <= sample && sample < t.at+t.minJump {
		return t.at, nil
	}
	front := flac.Point{Offset: t.header.Start}
	from := front
	var err error
	if sample >= t.minJump {
		from, err = t.search(c, front, sample)
	}
	t.at, t.offset, t.pending = from.Sample, from.Offset, resample.Samples{}
	return t.at, err
}

// search finds a frame that begins at the sample or shortly before.
func (t *flacTrack) search(c *call.Call, low flac.Point, sample int64) (flac.Point, error) {
	high := flac.Point{Sample: t.header.Samples, Offset: t.size}
	points := t.header.Points
	if i := sort.Search(len(points), func(i int) bool { return points[i].Sample > sample }); i > 0 {
		if p := points[i-1]; p.Sample > low.Sample && p.Offset < t.size {
			found, ok, err := t.frame(c, p.Offset, p.Offset+1)
			if err != nil {
				return low, err
			}
			if ok && found == p {
				low = found
			}
		}
	}
	for round := 0; sample-low.Sample > t.minJump; round++ {
		guess := low.Offset + (high.Offset-low.Offset)/2
		if high.Sample > low.Sample && round%2 == 0 { // interpolate, to a position slightly before the sample
			share := float64(sample-low.Sample-t.minJump/2) / float64(high.Sample-low.Sample)
			guess = low.Offset + int64(min(max(share, 0), 1)*float64(high.Offset-low.Offset))
		}
		found, ok, err := t.frame(c, max(guess, low.Offset+1), high.Offset)
		switch {
		case err != nil:
			return low, err
		case ok && found.Sample <= sample:
			low = found
		case guess <= low.Offset+1:
			return low, nil // no frame in between
		case ok:
			high = flac.Point{Sample: found.Sample, Offset: guess}
		default:
			high.Offset = guess
		}
	}
	return low, nil
}

// frame finds the first whole frame that begins in [from, to).
func (t *flacTrack) frame(c *call.Call, from, to int64) (flac.Point, bool, error) {
	for from < to {
		if err := c.Err(); err != nil {
			return flac.Point{}, false, err
		}
		data, err := t.fileView.at(c, from, viewBytes)
		if err != nil || len(data) == 0 {
			return flac.Point{}, false, err
		}
		i, first, ok := t.decoder.Find(data)
		if !ok {
			from += int64(max(len(data)-flacHeader+1, 1))
			continue
		}
		if from += int64(i); from >= to {
			break
		}
		if ok, err = t.whole(c, from, first); ok || err != nil {
			return flac.Point{Sample: first, Offset: from}, ok, err
		}
		from++
	}
	return flac.Point{}, false, nil
}

// flacHeader is the size of the largest frame header.
const flacHeader = 16

// whole reports whether offset holds a valid frame, followed by the header of the next frame or by the end of the file.
func (t *flacTrack) whole(c *call.Call, offset, first int64) (bool, error) {
	before := *t
	t.offset, t.at = offset, first
	reason, err := t.decode(c)
	n := int64(t.pending.Len)
	offset, t.offset, t.at, t.pending = t.offset, before.offset, before.at, resample.Samples{}
	if err != nil || reason != flac.Decoded {
		return false, err
	}
	data, err := t.fileView.at(c, offset, flacHeader)
	if err != nil || len(data) == 0 {
		return err == nil, err
	}
	i, next, ok := t.decoder.Find(data[:min(len(data), flacHeader)])
	return ok && i == 0 && next == first+n, nil
}
