package decode

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

// at puts text at an offset of a head of zeros.
func at(place int, text string) string { return strings.Repeat("\x00", place) + text }

// pcx is a header with 8 bits a sample and row bytes a row.
func pcx(right, row uint16) string {
	head := make([]byte, 128)
	copy(head, "\x0a\x05\x01\x08")
	binary.LittleEndian.PutUint16(head[8:], right)
	head[65] = 3
	binary.LittleEndian.PutUint16(head[66:], row)
	return string(head)
}

// recognised are the heads of formats that are identified but not decoded, from the public specifications.
var recognised = map[Format][]string{
	SVG:       {"<svg xmlns='http://www.w3.org/2000/svg'/>"},
	EXR:       {"\x76\x2f\x31\x01\x02\x00\x00\x00"},
	HDR:       {"#?RADIANCE\n", "#?RGBE\n"},
	PDF:       {"%PDF-1.7\n"},
	PSD:       {"8BPS\x00\x01", "8BPS\x00\x02"},
	ICO:       {"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00"},
	DDS:       {"DDS \x7c\x00\x00\x00\x07\x10\x08\x00"},
	SGI:       {"\x01\xda\x01\x01\x00\x03\x00\x80\x00\x80\x00\x03", "\x01\xda\x00\x02\x00\x02\x00\x80\x00\x80\x00\x01"},
	PCX:       {pcx(99, 100), pcx(0, 1)},
	DCX:       {"\xb1\x68\xde\x3a\x04\x10\x00\x00"},
	XBM:       {"#define sun_width 16\n#define sun_height 16\nstatic char sun_bits[] = {\n", "#define a_width 1\r\n#define a_height 1\r\n"},
	XPM:       {"/* XPM */\nstatic char *a[] = {\n", "! XPM2\n"},
	FITS:      {"SIMPLE  =                    T / Standard FITS"},
	SunRaster: {"\x59\xa6\x6a\x95\x00\x00\x00\x80"}, PhotoCD: {at(2048, "PCD_IPI")}, WMF: {"\xd7\xcd\xc6\x9a\x00\x00\x00"}, DPX: {"SDPX", "XPDS"},
	Cineon: {"\x80\x2a\x5f\xd7"}, XCF: {"gimp xcf file\x00"}, MNG: {"\x8aMNG\r\n\x1a\n"}, JNG: {"\x8bJNG\r\n\x1a\n"}, DICOM: {at(128, "DICM")},
	DjVu: {"AT&TFORM\x00\x00\x10\x00DJVU"},
	QOI:  {"qoif\x00\x00\x00\x80\x00\x00\x00\x80\x03\x00"}, ICNS: {"icns\x00\x1a\x34\x20"},
	CUR: {"\x00\x00\x02\x00\x01\x00\x20\x20\x00\x00\x05\x00\x06\x00\xa8\x10\x00\x00\x16\x00\x00\x00"},
	DIB: {"\x28\x00\x00\x00\x10\x00\x00\x00\x10\x00\x00\x00\x01\x00\x18\x00\x00\x00\x00\x00", "\x28\x00\x00\x00\x10\x00\x00\x00\xf0\xff\xff\xff\x01\x00\x20\x00\x03\x00\x00\x00"},
	EMF: {at(40, " EMF")}, EPS: {"%!PS-Adobe-3.0 EPSF-3.0\n", "\xc5\xd0\xd3\xc6\x20\x00"}, MSP: {"DanM\x80\x00", "LinS\x80\x00"}, IM: {"Image type: RGB image\r\n"},
	BLP: {"BLP1\x01\x00", "BLP2\x01\x00"}, XV: {"P7 332\n#XVVERSION"}, PIXAR: {"\x80\xe8\x00\x00\x00"}, FTEX: {"FTEX\x01\x00"}, GBR: {at(20, "GIMP")},
	KTX: {"\xabKTX 11\xbb\r\n\x1a\n", "\xabKTX 20\xbb\r\n\x1a\n"}, PVR: {"PVR\x03\x00"}, ASTC: {"\x13\xab\xa1\x5c\x06"}, JPEGXR: {"II\xbc\x01\x20\x00"},
	FLIF: {"FLIF41"}, BPG: {"BPG\xfb\x00"}, Farbfeld: {"farbfeld\x00\x00\x00\x10"}, RAF: {"FUJIFILMCCD-RAW 0201"},
}

// A format that is identified but not decoded is unsupported and named, by all functions.
func TestRecognised(t *testing.T) {
	d, err := New(Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.Close()) }()
	for f := SVG; f < formats; f++ {
		require.NotEmpty(t, recognised[f], f.String())
		for _, head := range recognised[f] {
			data := []byte(head)
			require.Equal(t, f, sniff(data), "%q", head)
			require.Equal(t, f, sniff(append(bytes.Clone(data), make([]byte, 500)...)), "%q", head)
			_, _, decoding := d.Image(t.Context(), spool.Bytes{Data: data}, ImageSpec{})
			_, probing := Probe(t.Context(), spool.Bytes{Data: data}, Limits{})
			_, probingImage := ProbeImage(t.Context(), spool.Bytes{Data: data}, Limits{})
			for _, err := range []error{decoding, probing, probingImage} {
				require.Equal(t, spool.ErrUnsupported, spool.ClassOf(err), "%v: %v", f, err)
				require.Contains(t, err.Error(), f.String())
			}
		}
	}
	require.Zero(t, sniff([]byte(pcx(99, 99))))
}
