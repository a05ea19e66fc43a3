package decode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/indexpath"
)

// IndexPath is where the index of a file is saved: beside it, or in a folder, under a name that files of the same name
// in other folders do not share.
func IndexPath(path, dir string) (string, error) {
	return indexpath.Of(path, dir)
}

// SaveIndex writes the video's index where OpenVideo looks for it: beside the file, or in dir, which is made if it is not
// there. A reader finds the whole index or the one before. It is for files, and with a dir for remote objects with a name
// and a version; it gives the index's own path.
func (v *Video) SaveIndex(dir string) (string, error) {
	if v.index != nil && v.in.isDistant() && v.index.File.Version == "" {
		return "", &spool.Error{Op: "index", File: v.name, Class: spool.ErrUnsupported, Text: "the server gives no ETag, by which an index is told to fit"}
	}
	if v.index == nil || v.in == nil || v.in.info.Path == "" && (!v.in.isDistant() || dir == "" || v.name == "") {
		return "", fmt.Errorf("%w: only the index of a file can be saved", spool.ErrOptions)
	}
	path, err := IndexPath(cmp.Or(v.in.info.Path, v.name), dir)
	if err != nil {
		return "", err
	}
	data, err := v.index.MarshalBinary()
	if err != nil {
		return "", err
	}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", spool.InFile(err, dir)
		}
	}
	if err := renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return "", spool.InFile(err, path)
	}
	return path, nil
}

// saved is the index that there is already, if it fits the file; nil where not.
func (v *Video) saved(file index.File) *index.Index {
	fits := func(x *index.Index) bool { return x != nil && x.File == file && file.Version != "" && v.asked(x) }
	if fits(v.options.Index) {
		return v.options.Index
	}
	path := v.in.info.Path
	name := cmp.Or(path, v.name)
	if v.options.NoIndex || path == "" && (!v.in.isDistant() || v.options.IndexDir == "" || name == "") {
		return nil
	}
	if x := savedIndex(name, v.options.IndexDir); fits(x) {
		return x
	}
	return nil
}

// savedIndex is the index that is saved of a file, or of what lay there before; nil where there is none.
func savedIndex(path, dir string) *index.Index {
	path, err := IndexPath(path, dir)
	if err != nil {
		return nil
	}
	data, err := readIndex(path)
	if err != nil {
		return nil
	}
	x, err := index.Decode(data)
	if err != nil {
		return nil
	}
	return x
}

// readIndex reads a saved index without asking for its size first.
func readIndex(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxIndexBytes))
}

// maxIndexBytes is what an index of a film of days takes.
const maxIndexBytes = 1 << 30

// asked reports whether an index is of the stream that the options ask for. That of a language cannot be told.
func (v *Video) asked(x *index.Index) bool {
	if v.options.Stream != nil {
		return *v.options.Stream == x.Stream.Number
	}
	return v.options.Language == "" && x.Stream.Best
}

// keepsTimes says of which containers a reader that has not probed gives the same times.
func keepsTimes(format string) bool {
	return strings.HasPrefix(format, "mov,") || strings.HasPrefix(format, "matroska,")
}

func marshalParameters(p av.Parameters) ([]byte, error) { return json.Marshal(p) }

func unmarshalParameters(data []byte) (p av.Parameters, err error) {
	if err := json.Unmarshal(data, &p); err != nil {
		return p, &spool.Error{Op: "index", Class: spool.ErrCorrupt, Text: "parameters: " + err.Error()}
	}
	return p, nil
}

func corruptIndex(file string) error {
	return &spool.Error{Op: "index", File: file, Class: spool.ErrCorrupt, Text: "it does not fit the file that it says it is of"}
}

// scan makes the index by reading all packets. What can be read of a damaged file counts.
func (v *Video) scan(c *call.Call, opened *av.Input, file index.File, s index.Stream) (*index.Index, error) {
	entries, err := opened.Scan(c, s.Number)
	if err != nil && (c.Err() != nil || len(entries) == 0) {
		return nil, err
	}
	packets := packetsOf(entries)
	s.Cut = breaksOff(packets, err)
	if needsDecoding(s.Codec, packets) {
		order, err := v.player.number(c, packets)
		if err != nil {
			return nil, err
		}
		return index.Number(file, s, packets, order)
	}
	return index.New(file, s, packets)
}

// breaksOff reports whether a file was cut, by how reading its packets ended.
func breaksOff(packets []index.Packet, err error) bool {
	return err != nil || len(packets) > 0 && packets[len(packets)-1].Flags&index.Damaged != 0
}

// needsDecoding reports whether only decoding tells which frames there are, and when.
func needsDecoding(codec string, packets []index.Packet) bool {
	return !index.Timed(packets) || codec == "mpeg4" && slices.ContainsFunc(packets, func(p index.Packet) bool { return p.Size <= notCoded })
}

// notCoded is the size of a packet of MPEG-4 that may say that there is no picture (vop_coded, ISO/IEC 14496-2, 6.2.5): which ones
// do, decoding tells.
const notCoded = 12

// packetsOf is what was read, as the index keeps it.
func packetsOf(entries []av.Entry) []index.Packet {
	packets := make([]index.Packet, len(entries))
	for i, e := range entries {
		packets[i] = index.Packet{PTS: e.PTS, DTS: e.DTS, Duration: e.Duration, Pos: e.Pos, Size: e.Size, Flags: flagsOf(e)}
	}
	if n := len(packets); n > 0 && packets[n-1].Flags&index.Damaged != 0 {
		packets[n-1].Flags |= index.Hidden // the file is cut in its middle: frames end before it
	}
	return packets
}

func flagsOf(e av.Entry) (flags index.Flags) {
	for _, f := range [...]struct {
		set  bool
		flag index.Flags
	}{{e.Key && !e.Refresh, index.Key}, {e.Discard, index.Discard}, {e.Corrupt, index.Damaged}, {e.Disposable && !e.Corrupt, index.Disposable}, {e.Hidden, index.Hidden}, {e.Second, index.Field}} { // more than this packet may have been lost
		if f.set {
			flags |= f.flag
		}
	}
	return flags
}
