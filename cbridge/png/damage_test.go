package png_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
)

// least is an Accept that takes any part of an image.
const least = 1e-9

// chunkAt returns the offset of the n-th chunk of a name, and the length of its contents.
func chunkAt(t testing.TB, data []byte, name string, n int) (at, length int) {
	t.Helper()
	for at = 8; at < len(data); at += 12 + length {
		length = int(binary.BigEndian.Uint32(data[at:]))
		if string(data[at+4:at+8]) == name {
			if n == 0 {
				return at, length
			}
			n--
		}
	}
	require.Fail(t, "no chunk "+name)
	return 0, 0
}

// insert inserts a chunk at an offset.
func insert(data []byte, at int, name, contents string) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(contents)))
	chunk = append(append(chunk, name...), contents...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return append(append(bytes.Clone(data[:at]), chunk...), data[at:]...)
}

func TestCuts(t *testing.T) {
	for _, name := range []string{"rgb8.png", "gray1.png", "palette4_trns.png", "rgba16.png", "one_chunk.png",
		"rgb8_adam7.png", "1x1.png"} {
		t.Run(name, func(t *testing.T) {
			data := lanetest.Read(t, name)
			whole, all, err := decode(t, data, png.Options{})
			require.NoError(t, err)
			end, _ := chunkAt(t, data, "IEND", 0)
			dst, row := make([]byte, len(whole)), 3*all.Width
			var last png.Report
			for n := range data {
				report, err := run(t, data[:n], png.Options{Dst: dst})
				if n >= end { // as in libpng and Pillow
					require.NoError(t, err, "cut to %d bytes", n)
					require.Equal(t, whole, dst)
					require.Equal(t, 1, report.Warnings)
					continue
				}
				class := spool.ErrTruncated
				if n == 0 {
					class = spool.ErrEmpty
				}
				require.ErrorIs(t, err, class, "cut to %d bytes", n)

				report, err = run(t, data[:n], png.Options{Dst: dst, Accept: least})
				require.GreaterOrEqual(t, report.Rows, last.Rows, "cut to %d bytes", n)
				require.GreaterOrEqual(t, report.Fraction, last.Fraction, "cut to %d bytes", n)
				last = report
				if err != nil {
					require.ErrorIs(t, err, class)
					require.Zero(t, report.Fraction)
					continue
				}
				require.True(t, report.Damaged)
				require.NotEmpty(t, report.Damage)
				if strings.Contains(name, "adam7") {
					continue
				}
				require.InDelta(t, float64(report.Rows)/float64(all.Height), report.Fraction, 1e-12)
				require.Equal(t, whole[:report.Rows*row], dst[:report.Rows*row], "cut to %d bytes", n)
				if report.Rows > 0 { // the missing rows below are not wanted
					window, err := run(t, data[:n], png.Options{Dst: dst, Last: report.Rows})
					require.NoError(t, err, "cut to %d bytes", n)
					require.False(t, window.Damaged)
				}
			}
		})
	}
}

// If a byte changes, the pixels stay the same, or the image is refused.
func TestEachByteChanged(t *testing.T) {
	for _, name := range []string{"gray4_trns.png", "palette2.png", "rgb8.png", "ga8.png", "chunks.png", "5x5_adam7.png",
		"apng_single.png"} {
		data := lanetest.Read(t, name)
		whole, _, err := decode(t, data, png.Options{Channels: 4})
		require.NoError(t, err)
		var refused, warned int
		for i := range data {
			changed := bytes.Clone(data)
			changed[i] ^= 1 << (i % 8)
			pixels, report, err := decode(t, changed, png.Options{Channels: 4})
			if err != nil {
				lanetest.RequireClass(t, err)
				refused++
				continue
			}
			if !strings.Contains(name, "trns") { // a tRNS chunk with a wrong CRC is ignored
				require.Equal(t, whole, pixels, "%s: byte %d", name, i)
			}
			if report.Warnings > 0 {
				require.NotEmpty(t, report.Warning)
				warned++
			}
		}
		assert.Greater(t, refused, 50, name)
		if name == "chunks.png" {
			assert.Greater(t, warned, 200)
		}
	}
}

func TestDamageIsAcceptedFromAFractionOn(t *testing.T) {
	data := bytes.Clone(lanetest.Read(t, "rgb8.png"))
	at, length := chunkAt(t, data, "IDAT", 2)
	data[at+8+length/2] ^= 0x40
	_, report, err := decode(t, data, png.Options{})
	require.ErrorIs(t, err, spool.ErrCorrupt)
	require.True(t, report.Libpng)
	require.Greater(t, report.Fraction, 0.2)
	require.Less(t, report.Fraction, 1.0)
	_, again, err := decode(t, data, png.Options{Accept: report.Fraction})
	require.NoError(t, err)
	assert.True(t, again.Damaged)
	assert.NotEmpty(t, again.Damage)
	_, _, err = decode(t, data, png.Options{Accept: report.Fraction + 0.01})
	assert.ErrorIs(t, err, spool.ErrCorrupt)
}

// TestBadHeaders checks the error class of damaged headers.
func TestBadHeaders(t *testing.T) {
	data := lanetest.Read(t, "palette8.png")
	pixels, _ := chunkAt(t, data, "IDAT", 0)
	palette, _ := chunkAt(t, data, "PLTE", 0)
	change := func(at int, value byte) []byte {
		changed := bytes.Clone(data)
		changed[at] = value
		return mutate.Sealed(changed)
	}
	for name, c := range map[string]struct {
		data  []byte
		class spool.Class
	}{
		"text":                     {[]byte("some text"), spool.ErrNotMedia},
		"signature only":           {data[:8], spool.ErrTruncated},
		"part of the signature":    {data[:3], spool.ErrTruncated},
		"width 0":                  {change(19, 0), spool.ErrCorrupt},
		"colour type 7":            {change(25, 7), spool.ErrCorrupt},
		"colour type 1":            {change(25, 1), spool.ErrCorrupt},
		"3 bits":                   {change(24, 3), spool.ErrCorrupt},
		"palette of 16 bits":       {change(24, 16), spool.ErrCorrupt},
		"compression method":       {change(26, 1), spool.ErrUnsupported},
		"filter method":            {change(27, 64), spool.ErrUnsupported},
		"interlace method":         {change(28, 2), spool.ErrUnsupported},
		"no palette":               {change(palette+4, 'p'), spool.ErrCorrupt},
		"two palettes":             {insert(data, pixels, "PLTE", "abc"), spool.ErrCorrupt},
		"palette of 4 bytes":       {insert(data, palette, "PLTE", "abcd"), spool.ErrCorrupt},
		"two headers":              {insert(data, pixels, "IHDR", "0123456789abc"), spool.ErrCorrupt},
		"unknown critical chunk":   {insert(data, pixels, "QQqq", "?"), spool.ErrUnsupported},
		"Apple's variant":          {insert(data, 8, "CgBI", "\x50\x00\x20\x02"), spool.ErrUnsupported},
		"end before the pixels":    {insert(data, pixels, "IEND", ""), spool.ErrCorrupt},
		"no chunk":                 {append(bytes.Clone(data[:pixels]), "not a chunk at all"...), spool.ErrCorrupt},
		"the header's CRC":         {append(append(bytes.Clone(data[:29]), 1, 2, 3, 4), data[33:]...), spool.ErrCorrupt},
		"text before the header":   {insert(data, 8, "tEXt", "a\x00b"), spool.ErrCorrupt},
		"pixels before the header": {append(bytes.Clone(data[:8]), data[pixels:]...), spool.ErrCorrupt},
	} {
		_, err := png.ReadHeader(c.data)
		assert.ErrorIs(t, err, c.class, name)
		_, err = run(t, c.data, png.Options{Dst: make([]byte, 33*21*3)})
		assert.ErrorIs(t, err, c.class, name)
	}
}

// If libpng and Pillow decode in spite of an error, the report has a warning.
func TestOddities(t *testing.T) {
	data := lanetest.Read(t, "rgb8.png")
	whole, _, err := decode(t, data, png.Options{})
	require.NoError(t, err)
	pixels, _ := chunkAt(t, data, "IDAT", 0)
	end, _ := chunkAt(t, data, "IEND", 0)
	text := insert(data, pixels, "tEXt", "Comment\x00hello")
	text[pixels+10] ^= 1
	for name, c := range map[string]struct {
		data     []byte
		warnings int
	}{
		"wrong CRC of text":           {text, 1},
		"wrong CRC of the end":        {append(bytes.Clone(data[:len(data)-1]), 0), 1},
		"transparency of 3 bytes":     {insert(data, pixels, "tRNS", "abc"), 1},
		"bytes behind the end":        {append(bytes.Clone(data), "garbage"...), 0},
		"more compressed data":        {insert(data, end, "IDAT", "garbage"), 1},
		"an empty chunk of pixels":    {insert(data, pixels, "IDAT", ""), 0},
		"a palette nobody needs":      {insert(data, pixels, "PLTE", "abc"), 0},
		"a chunk nobody knows":        {insert(data, pixels, "quQu", "?"), 0},
		"a chunk before the header":   {insert(data, 8, "quQu", "?"), 0},
		"two profiles, one misplaced": {insert(insert(data, pixels, "iCCP", "a\x00\x00?"), pixels, "iCCP", "b\x00\x00?"), 1},
	} {
		got, report, err := decode(t, c.data, png.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, whole, got, name)
		assert.Equal(t, c.warnings, report.Warnings, "%s: %s", name, report.Warning)
		assert.Equal(t, c.warnings > 0, report.Warning != "", name)
	}
}

func TestMisplacedTransparencyDoesNotCount(t *testing.T) {
	data := lanetest.Read(t, "palette4_trns.png")
	opacity, length := chunkAt(t, data, "tRNS", 0)
	palette, _ := chunkAt(t, data, "PLTE", 0)
	chunk := bytes.Clone(data[opacity : opacity+12+length])
	before := append(append(bytes.Clone(data[:palette]), chunk...), data[palette:opacity]...)
	before = append(before, data[opacity+12+length:]...)
	h, err := png.ReadHeader(before)
	require.NoError(t, err)
	assert.False(t, h.Transparent)
	_, report, err := decode(t, before, png.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1, report.Warnings)
}

func TestDamagedAnimations(t *testing.T) {
	data := lanetest.Read(t, "apng_rgba8.png")
	second, length := chunkAt(t, data, "fdAT", 0)
	control, _ := chunkAt(t, data, "fcTL", 1)
	change := func(at int, value byte, seal bool) []byte {
		changed := bytes.Clone(data)
		changed[at] = value
		if seal {
			return mutate.Sealed(changed)
		}
		return changed
	}
	for name, c := range map[string]struct {
		data  []byte
		class spool.Class
	}{
		"cut within a frame":      {data[:second+8+length/2], spool.ErrTruncated},
		"cut before a frame":      {data[:control], spool.ErrTruncated},
		"a frame's CRC":           {change(second+20, data[second+20]^1, false), spool.ErrCorrupt},
		"out of sequence":         {change(control+11, 9, true), spool.ErrCorrupt},
		"pixels out of sequence":  {change(second+11, 9, true), spool.ErrCorrupt},
		"a frame beyond the edge": {change(control+23, 24, true), spool.ErrCorrupt},
		"an unknown disposal":     {change(control+32, 3, true), spool.ErrCorrupt},
		"an unknown blending":     {change(control+33, 2, true), spool.ErrCorrupt},
		"fewer than it says":      {insert(data[:control], control, "IEND", ""), spool.ErrCorrupt},
	} {
		a := open(t, c.data)
		_, err := next(t, a, png.Options{})
		require.NoError(t, err, name)
		_, err = next(t, a, png.Options{})
		assert.ErrorIs(t, err, c.class, name)
	}
}

func TestDamagedFrameIsAccepted(t *testing.T) {
	data := lanetest.Read(t, "apng_rgba8.png")
	second, length := chunkAt(t, data, "fdAT", 0)
	a := open(t, data[:second+8+length-20])
	_, err := next(t, a, png.Options{Accept: least})
	require.NoError(t, err)
	dst := make([]byte, 24*18*3)
	report, err := next(t, a, png.Options{Accept: least, Dst: dst})
	require.NoError(t, err)
	assert.True(t, report.Damaged)
	assert.Greater(t, report.Fraction, 0.0)
	assert.Equal(t, 18, report.Rows)
}
