package probe_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/probe"
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
var recognised = map[format.Format][]string{
	format.SVG: {"<svg xmlns='http://www.w3.org/2000/svg'/>"},
	format.EXR: {"\x76\x2f\x31\x01\x02\x00\x00\x00"},
	format.HDR: {"#?RADIANCE\n", "#?RGBE\n"},
	format.PDF: {"%PDF-1.7\n"},
	format.PSD: {"8BPS\x00\x01", "8BPS\x00\x02"},
	format.ICO: {"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00"},
	format.DDS: {"DDS \x7c\x00\x00\x00\x07\x10\x08\x00"},
	format.SGI: {"\x01\xda\x01\x01\x00\x03\x00\x80\x00\x80\x00\x03",
		"\x01\xda\x00\x02\x00\x02\x00\x80\x00\x80\x00\x01"},
	format.PCX: {pcx(99, 100), pcx(0, 1)},
	format.DCX: {"\xb1\x68\xde\x3a\x04\x10\x00\x00"},
	format.XBM: {"#define sun_width 16\n#define sun_height 16\nstatic char sun_bits[] = {\n",
		"#define a_width 1\r\n#define a_height 1\r\n"},
	format.XPM:       {"/* XPM */\nstatic char *a[] = {\n", "! XPM2\n"},
	format.FITS:      {"SIMPLE  =                    T / Standard FITS"},
	format.SunRaster: {"\x59\xa6\x6a\x95\x00\x00\x00\x80"}, format.PhotoCD: {at(2048, "PCD_IPI")},
	format.WMF: {"\xd7\xcd\xc6\x9a\x00\x00\x00"}, format.DPX: {"SDPX", "XPDS"},
	format.Cineon: {"\x80\x2a\x5f\xd7"}, format.XCF: {"gimp xcf file\x00"}, format.MNG: {"\x8aMNG\r\n\x1a\n"},
	format.JNG: {"\x8bJNG\r\n\x1a\n"}, format.DICOM: {at(128, "DICM")},
	format.DjVu: {"AT&TFORM\x00\x00\x10\x00DJVU"},
	format.QOI:  {"qoif\x00\x00\x00\x80\x00\x00\x00\x80\x03\x00"}, format.ICNS: {"icns\x00\x1a\x34\x20"},
	format.CUR: {"\x00\x00\x02\x00\x01\x00\x20\x20\x00\x00\x05\x00\x06\x00\xa8\x10\x00\x00\x16\x00\x00\x00"},
	format.DIB: {"\x28\x00\x00\x00\x10\x00\x00\x00\x10\x00\x00\x00\x01\x00\x18\x00\x00\x00\x00\x00",
		"\x28\x00\x00\x00\x10\x00\x00\x00\xf0\xff\xff\xff\x01\x00\x20\x00\x03\x00\x00\x00"},
	format.EMF: {at(40, " EMF")}, format.EPS: {"%!PS-Adobe-3.0 EPSF-3.0\n", "\xc5\xd0\xd3\xc6\x20\x00"},
	format.MSP: {"DanM\x80\x00", "LinS\x80\x00"}, format.IM: {"Image type: RGB image\r\n"},
	format.BLP: {"BLP1\x01\x00", "BLP2\x01\x00"}, format.XV: {"P7 332\n#XVVERSION"},
	format.PIXAR: {"\x80\xe8\x00\x00\x00"}, format.FTEX: {"FTEX\x01\x00"}, format.GBR: {at(20, "GIMP")},
	format.KTX: {"\xabKTX 11\xbb\r\n\x1a\n", "\xabKTX 20\xbb\r\n\x1a\n"}, format.PVR: {"PVR\x03\x00"},
	format.ASTC: {"\x13\xab\xa1\x5c\x06"}, format.JPEGXR: {"II\xbc\x01\x20\x00"},
	format.FLIF: {"FLIF41"}, format.BPG: {"BPG\xfb\x00"}, format.Farbfeld: {"farbfeld\x00\x00\x00\x10"},
	format.RAF: {"FUJIFILMCCD-RAW 0201"},
}

// A format that is identified but not decoded is unsupported and named, by all functions.
func TestRecognised(t *testing.T) {
	d, err := decode.New(decode.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.Close()) }()
	images, err := image.New(d, image.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, images.Close()) }()
	for f := format.SVG; f.String() != "unknown"; f++ {
		require.NotEmpty(t, recognised[f], f.String())
		for _, head := range recognised[f] {
			data := []byte(head)
			require.Equal(t, f, format.Of(data), "%q", head)
			require.Equal(t, f, format.Of(append(bytes.Clone(data), make([]byte, 500)...)), "%q", head)
			_, _, decoding := images.Decode(t.Context(), spool.Bytes{Data: data}, image.Spec{})
			_, probing := probe.Probe(t.Context(), spool.Bytes{Data: data}, decode.Limits{})
			_, probingImage := image.Probe(t.Context(), spool.Bytes{Data: data}, decode.Limits{})
			for _, err := range []error{decoding, probing, probingImage} {
				require.Equal(t, spool.ErrUnsupported, spool.ClassOf(err), "%v: %v", f, err)
				require.Contains(t, err.Error(), f.String())
			}
		}
	}
	require.Zero(t, format.Of([]byte(pcx(99, 99))))
}
