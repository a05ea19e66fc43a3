package image_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/canary"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
)

// Images that name files and servers: nothing of it is opened, also if their loader is allowed. libvips opens some, of
// an image with a name, which shows that the test detects it.
func TestReferencesAreNotFollowed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "canary.png")
	require.NoError(t, os.WriteFile(file, decodetest.ReadFile(t, media, "hard/good/rgb.png"), 0o600))
	bird := canary.New(t, file)
	svg := func(inside string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
			`xmlns:xi="http://www.w3.org/2001/XInclude" width="31" height="23">` + inside + `</svg>`
	}
	d := decodetest.New(t, decoders.Options{})
	for name, c := range map[string]struct {
		allow   spoolimage.Loaders
		content string
		follows bool // libvips opens the file for an image that has a name beside it
	}{
		"svg, image": {spoolimage.AllowSVG, svg(`<image width="9" height="9" xlink:href="REFERENCE"/>`), true},
		"svg, href":  {spoolimage.AllowSVG, svg(`<image width="9" height="9" href="REFERENCE"/>`), true},
		"svg, filter": {spoolimage.AllowSVG, svg(`<filter id="f"><feImage href="REFERENCE"/></filter>` +
			`<rect width="9" height="9" filter="url(#f)"/>`), true},
		"svg, use": {spoolimage.AllowSVG, svg(`<use href="REFERENCE#x"/>`), true},
		"svg, style": {spoolimage.AllowSVG, svg(`<style>@import url("REFERENCE");</style><rect width="9" height="9"/>`),
			true},
		"svg, font": {spoolimage.AllowSVG, svg(`<style>@font-face{font-family:x;src:url("REFERENCE")}</style>` +
			`<text y="9" font-family="x">x</text>`), false},
		"svg, include": {spoolimage.AllowSVG, svg(`<text><xi:include href="REFERENCE" parse="text"/></text>`), true},
		"svg, entity": {spoolimage.AllowSVG, `<!DOCTYPE svg [<!ENTITY x SYSTEM "REFERENCE">]>` +
			svg(`<text y="9">&x;</text>`), false},
		"svg, DTD": {spoolimage.AllowSVG, `<!DOCTYPE svg SYSTEM "REFERENCE">` + svg(`<rect width="9" height="9"/>`), false},
		"svg, style sheet": {spoolimage.AllowSVG, `<?xml version="1.0"?><?xml-stylesheet type="text/css" ` +
			`href="REFERENCE"?>` + svg(`<rect width="9" height="9"/>`), true},
		"exr, owner": {spoolimage.AllowEXR, exrOf(t, "REFERENCE"), false},
		"pdf": {spoolimage.AllowPDF, "%PDF-1.4\n" +
			"1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(REFERENCE)>>>>endobj\n" +
			"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 31 23]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>" +
			"/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/GoToR/F(REFERENCE)/D[0]>>>>]>>endobj\n" +
			"4 0 obj<</Length 4>>stream\n/I Do\nendstream endobj\n" +
			"5 0 obj<</Type/XObject/Subtype/Image/Width 9/Height 9/BitsPerComponent 8/ColorSpace/DeviceGray" +
			"/F(REFERENCE)/FFilter/FlateDecode/Length 0>>stream\n\nendstream endobj\ntrailer<</Root 1 0 R>>\n", false},
		"mvg": {spoolimage.AllowMagick, "push graphic-context\nviewbox 0 0 31 23\nimage over 0,0 9,9 'REFERENCE'\n" +
			"pop graphic-context\n", false},
		"ps": {spoolimage.AllowMagick, "%!PS-Adobe-3.0\n%%BoundingBox: 0 0 31 23\n" +
			"(REFERENCE) (r) file 9 string readstring\nshowpage\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reference := range []string{file, "file://" + file, "http://" + bird.Address + "/canary.png"} {
				data := []byte(strings.ReplaceAll(c.content, "REFERENCE", reference))
				if c.allow == spoolimage.AllowEXR {
					data = []byte(exrOf(t, reference))
				}
				for _, allow := range []spoolimage.Loaders{0, c.allow} {
					buffer, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spoolimage.Spec{Allow: allow})
					if err == nil {
						buffer.Release()
					}
					if allow == 0 {
						require.Error(t, err)
					} else if allow != spoolimage.AllowMagick && name != "svg, entity" {
						require.NoError(t, err, "the loader goes on without it")
					}
					assert.False(t, bird.Opened(), "the file that it names was opened")
					assert.False(t, bird.Asked(), "the server that it names was asked")
				}
			}
		})
		if c.follows && (!testing.Short() || name == "svg, image") { // each starts Python
			t.Run(name+", with a name", func(t *testing.T) {
				path := filepath.Join(filepath.Dir(file), "image")
				require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(c.content, "REFERENCE", file)), 0o600))
				output := loadByName(t, path)
				assert.True(t, bird.Opened(), "libvips does not open what the image names: %s", output)
			})
		}
	}
}

// loadByName has libvips load an image by its name, which spool never does, and returns what went wrong.
func loadByName(t *testing.T, path string) string {
	t.Helper()
	const missing = 77
	program := fmt.Sprintf(`import ctypes, sys
try:
    vips = ctypes.CDLL("libvips.so.42")
except OSError:
    sys.exit(%d)
vips.vips_init(b"")
vips.vips_image_new_from_file.restype = ctypes.c_void_p
vips.vips_error_buffer.restype = ctypes.c_char_p
image, mean = vips.vips_image_new_from_file(sys.argv[1].encode(), None), ctypes.c_double()
if image:
    vips.vips_avg(ctypes.c_void_p(image), ctypes.byref(mean), None)
print(vips.vips_error_buffer().decode())
`, missing)
	command := exec.CommandContext(t.Context(), need.Command(t, "python3"), "-c", program, path)
	output, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() == missing {
		need.Skip(t, need.System, "no libvips.so.42")
	}
	require.NoError(t, err, "%s", output)
	return string(output)
}

// exrOf is an image of OpenEXR with an attribute that names a file.
func exrOf(t *testing.T, reference string) string {
	t.Helper()
	const rows = 23
	data := decodetest.ReadFile(t, vipsMedia, "light.exr")
	attribute := binary.LittleEndian.AppendUint32([]byte("owner\x00string\x00"), uint32(len(reference)))
	attribute = append(attribute, reference...)
	end := strings.Index(string(data), "screenWindowWidth\x00float\x00") + len("screenWindowWidth\x00float\x00") + 8
	out := append(append([]byte(nil), data[:end]...), attribute...)
	out = append(out, data[end])
	for i := range rows {
		at := binary.LittleEndian.Uint64(data[end+1+8*i:])
		out = binary.LittleEndian.AppendUint64(out, at+uint64(len(attribute)))
	}
	return string(append(out, data[end+1+8*rows:]...))
}
