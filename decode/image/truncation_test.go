package image

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/tiff"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
)

// structure is a small file of one format.
type structure struct {
	format format.Format
	data   []byte
	// intact reports whether a cut at n removes nothing of the image, or nothing that the structure can detect. nil: every
	// cut removes something.
	intact func(n int) bool
}

// structures are the files of testdata/structure, and some variants that Pillow cannot write.
func structures(tb testing.TB) map[string]structure {
	tb.Helper()
	formats := map[string]format.Format{".jpg": format.JPEG, ".png": format.PNG, ".webp": format.WebP, ".gif": format.GIF,
		".tiff": format.TIFF, ".avif": format.AVIF, ".jp2": format.JP2, ".j2k": format.JP2}
	names, err := filepath.Glob("testdata/structure/*")
	require.NoError(tb, err)
	require.NotEmpty(tb, names)
	all := map[string]structure{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(tb, err)
		s := structure{format: formats[filepath.Ext(name)], data: data}
		require.NotZero(tb, s.format, name)
		all[filepath.Base(name)] = s
	}
	pages := all["pages.tiff"]
	pages.intact = func(n int) bool { return n >= len(all["raw.tiff"].data) } // the first page is complete
	all["pages.tiff"] = pages

	box := func(kind string, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
	}
	const jxl = "\x00\x00\x00\x0cJXL \r\n\x87\n"
	brand := box("ftyp", "jxl \x00\x00\x00\x00jxl ")
	end := func(s string) func(int) bool { return func(n int) bool { return n >= len(s) } }
	image := jxl + brand + box("jxlc", "\xff\x0acodestream")
	all["jxlc"] = structure{format.JXL, []byte(image + box("Exif", "metadata")), end(image)}
	all["jxlp"] = structure{format.JXL,
		[]byte(jxl + brand + box("jxlp", "\x00\x00\x00\x00\xff\x0apart") + box("jxlp", "\x80\x00\x00\x01part")), nil}
	all["jxl to the end"] = structure{format.JXL, []byte(jxl + brand + "\x00\x00\x00\x00jxlc\xff\x0acodestream"),
		end(jxl + brand + "\x00\x00\x00\x00jxlc")}
	all["bare jxl"] = structure{format.JXL, []byte("\xff\x0acodestream"), end("\xff\x0a")}
	all["heic"] = structure{format.HEIC,
		[]byte(box("ftyp", "heic\x00\x00\x00\x00mif1") + box("meta", "\x00\x00\x00\x00tables") + box("mdat", "data")), nil}
	all["heic with idat"] = structure{format.HEIC,
		[]byte(box("ftyp", "heic\x00\x00\x00\x00mif1") + box("meta", "\x00\x00\x00\x00"+box("idat", "data"))), nil}
	long := "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x14data"
	all["heic with long box"] = structure{format.HEIC,
		[]byte(box("ftyp", "heic\x00\x00\x00\x00mif1") + box("meta", "\x00\x00\x00\x00tables") + long), nil}
	bare := string(all["bare.j2k"].data)
	all["jp2 to the end"] = structure{format.JP2, []byte("\x00\x00\x00\x0cjP  \r\n\x87\n" + "\x00\x00\x00\x00jp2c" + bare),
		nil}
	tilePart := strings.Index(bare, "\xff\x90")
	open := []byte(bare)
	copy(open[tilePart+6:], "\x00\x00\x00\x00")
	all["j2k tile part to the end"] = structure{format.JP2, open, nil}
	all["bigtiff tiles"] = structure{format.TIFF, tiledTIFF(), nil}
	return all
}

// tiledTIFF is a big-endian BigTIFF of two tiles, after its directory and the tables of their offsets.
func tiledTIFF() []byte {
	be := binary.BigEndian
	b := append([]byte("MM\x00+\x00\x08\x00\x00"), 0, 0, 0, 0, 0, 0, 0, 16)
	b = be.AppendUint64(b, 2)
	at := uint64(16 + 8 + 2*20 + 8)
	for _, e := range []struct {
		tag, kind uint16
		place     uint64
		// two offsets elsewhere, two lengths in the entry itself
	}{{tiff.TagTileOffsets, 16, at}, {tiff.TagTileBytes, 4, 4<<32 | 5}} {
		b = be.AppendUint16(be.AppendUint16(b, e.tag), e.kind)
		b = be.AppendUint64(be.AppendUint64(b, 2), e.place)
	}
	b = be.AppendUint64(b, 0) // no further page
	b = be.AppendUint64(be.AppendUint64(b, at+16), at+16+4)
	return append(b, "1234"+"12345"...)
}

// tellThemselves are the formats whose decoders detect a cut file.
var tellThemselves = []format.Format{format.JPEG, format.PNG, format.WebP, format.GIF}

func TestTruncatedAtEveryOffset(t *testing.T) {
	for name, s := range structures(t) {
		if slices.Contains(tellThemselves, s.format) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.False(t, truncated(s.format, s.data))
			require.False(t, truncated(s.format, append(append([]byte{}, s.data...), 0)), "bytes after the end")
			for n := range s.data {
				intact := s.intact != nil && s.intact(n)
				require.NotEqual(t, intact, truncated(s.format, s.data[:n]), "cut at %d of %d", n, len(s.data))
			}
		})
	}
}

func TestTruncatedFiles(t *testing.T) {
	check := func(pattern string) (files int) {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil || slices.Contains(tellThemselves, format.Of(data)) { // a folder, or
				continue
			}
			cut := strings.HasPrefix(filepath.Base(name), "truncated")
			assert.Equal(t, cut, truncated(format.Of(data), data), name)
			files++
		}
		return files
	}
	require.Positive(t, check("../../testdata/hard/*/*"))
	for _, folder := range []string{"formats", "hard", "libvips", "libvips/rotation", "photos"} {
		check(filepath.Join("../../../shared/media", folder, "*")) // if present
	}
}

// Contradictory structure is not reported as truncation.
func TestTruncatedLeavesCorruptionAlone(t *testing.T) {
	for name, s := range map[string]structure{
		"tiff without a directory":  {format: format.TIFF, data: []byte("II*\x00\x00\x00\x00\x00")},
		"tiff of version 99":        {format: format.TIFF, data: []byte("II\x63\x00\x08\x00\x00\x00")},
		"box shorter than its head": {format: format.HEIC, data: []byte("\x00\x00\x00\x07ftypheic")},
		"j2k without markers":       {format: format.JP2, data: []byte("\xff\x4f\x12\x34\x56\x78")},
		"j2k tile part of 5 bytes": {format: format.JP2,
			data: []byte("\xff\x4f\xff\x90\x00\x0a\x00\x00\x00\x00\x00\x05\x00\x01")},
		"text": {format: 0, data: []byte("text")},
		"svg":  {format: format.SVG, data: []byte("<svg")},
	} {
		assert.False(t, truncated(s.format, s.data), name)
	}
}

func FuzzTruncated(f *testing.F) {
	mutate.Fuzz(f, append(allStructures(f), allGoLanes(f)...), func(t testing.TB, data []byte, knobs uint64) {
		if format.Of(data) != 0 {
			fuzzed.Accept()
		}
		before := bytes.Clone(data)
		for _, f := range []format.Format{format.Format(knobs % 32), format.Of(data)} {
			truncated(f, data)
		}
		if !bytes.Equal(before, data) {
			t.Fatal("the data were written to")
		}
	})
}

// allStructures are the files of testdata/structure, in the order of their names.
func allStructures(f *testing.F) (all [][]byte) {
	f.Helper()
	files := structures(f)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, files[name].data)
	}
	return all
}
