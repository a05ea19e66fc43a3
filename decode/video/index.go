package video

import (
	"cmp"
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
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/internal/indexpath"
)

// IndexPath is the path of a file's saved index: next to the file, or in the folder dir. The name in a folder differs
// for files of the same name from different folders.
func IndexPath(path, dir string) (string, error) {
	return indexpath.Of(path, dir)
}

// SaveIndex writes the video's index where Open looks for it: next to the file, or in dir, which is created if
// missing. The write is atomic: a reader finds either the whole new index or the old index. It works for files, and
// with a dir for remote objects with a name and a version. It returns the path of the index.
func (v *Video) SaveIndex(dir string) (string, error) {
	if v.index != nil && v.in.IsRemote() && v.index.File.Version == "" {
		return "", &spool.Error{Op: "index", File: v.name, Class: spool.ErrUnsupported,
			Text: "the server gives no ETag, which shows whether an index fits"}
	}
	if v.index == nil || v.in == nil || v.in.Info.Path == "" && (!v.in.IsRemote() || dir == "" || v.name == "") {
		return "", fmt.Errorf("%w: only the index of a file can be saved", spool.ErrOptions)
	}
	path, err := IndexPath(cmp.Or(v.in.Info.Path, v.name), dir)
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

// saved is an existing index that fits the file; nil without one.
func (v *Video) saved(file index.File) *index.Index {
	fits := func(x *index.Index) bool { return x != nil && x.File == file && file.Version != "" && v.asked(x) }
	if fits(v.options.Index) {
		return v.options.Index
	}
	path := v.in.Info.Path
	name := cmp.Or(path, v.name)
	if v.options.NoIndex || path == "" && (!v.in.IsRemote() || v.options.IndexDir == "" || name == "") {
		return nil
	}
	if x := SavedIndex(name, v.options.IndexDir); fits(x) {
		return x
	}
	return nil
}

// SavedIndex is the index saved for a path, perhaps of an earlier file there; nil without one.
func SavedIndex(path, dir string) *index.Index {
	path, err := IndexPath(path, dir)
	if err != nil {
		return nil
	}
	data, err := readIndex(path)
	if err != nil {
		return nil
	}
	x, err := index.Unmarshal(data)
	if err != nil {
		return nil
	}
	return x
}

// readIndex reads a saved index without a call for its size.
func readIndex(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxIndexBytes))
}

// maxIndexBytes has room for the index of days of video.
const maxIndexBytes = 1 << 30

// asked reports whether an index is for the stream that the options select. It is false where a language is selected,
// since the index does not hold it.
func (v *Video) asked(x *index.Index) bool {
	if v.options.Stream != nil {
		return *v.options.Stream == x.Stream.Number
	}
	return v.options.Language == "" && x.Stream.Best
}

// keepsTimes reports containers for which a reader gives the same times without probing.
func keepsTimes(format string) bool {
	return strings.HasPrefix(format, "mov,") || strings.HasPrefix(format, "matroska,")
}

func corruptIndex(file string) error {
	return &spool.Error{Op: "index", File: file, Class: spool.ErrCorrupt, Text: "the index does not fit its file"}
}

// scan makes the index by reading all packets. For a damaged file, the readable packets are used.
func (v *Video) scan(c *call.Call, opened *av.Input, file index.File, s index.Stream) (*index.Index, error) {
	entries, err := opened.Scan(c, s.Number)
	if err != nil && (c.Err() != nil || len(entries) == 0 || !ofContent(err)) {
		return nil, err
	}
	packets := container.PacketsOf(entries)
	s.Cut = breaksOff(packets, err)
	if needsDecoding(s.Codec, packets) {
		order, err := v.session.number(c, packets)
		if err != nil {
			return nil, err
		}
		return index.NewNumbered(file, s, packets, order)
	}
	return index.New(file, s, packets)
}

// ofContent reports whether an error is about the bytes of a file. Other errors pass, and the file is whole.
func ofContent(err error) bool {
	switch spool.ClassOf(err) {
	case spool.ErrIO, spool.ErrTimeout, spool.ErrNotFound, spool.ErrPermission:
		return false
	}
	return true
}

// breaksOff reports whether a file was cut, from the end of reading its packets.
func breaksOff(packets []index.Packet, err error) bool {
	return err != nil || len(packets) > 0 && packets[len(packets)-1].Flags&index.Damaged != 0
}

// needsDecoding reports whether frames and times are known only after decoding.
func needsDecoding(codec string, packets []index.Packet) bool {
	return !index.Timed(packets) || codec == "mpeg4" &&
		slices.ContainsFunc(packets, func(p index.Packet) bool { return p.Size <= notCoded })
}

// notCoded is the largest size of an MPEG-4 packet that may hold no frame (vop_coded, ISO/IEC 14496-2, 6.2.5). Only
// decoding finds out which packets hold none.
const notCoded = 12
