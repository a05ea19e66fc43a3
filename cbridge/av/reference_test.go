package av_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/canary"
	"github.com/spoolmedia/spool/internal/need"
)

// reference is a file that names others.
type reference struct {
	name    string
	content string
	format  string            // for spool; empty: detected
	options map[string]string // for spool
	class   spool.Class       // of the refusal; empty: it opens, without what it names

	control []string    // flags with which ffprobe opens what the file names; nil: FFmpeg cannot
	touched func() bool // what ffprobe opens
	beside  []string    // other names of the canary
}

// references returns all cases. FFmpeg itself follows those with a control.
func references(t *testing.T, bird *canary.Canary, port *canary.Port) []reference {
	t.Helper()
	clip, err := os.ReadFile(bird.Path)
	require.NoError(t, err)
	url := "http://" + bird.Address + "/canary.ts"
	drefs := map[string]string{"enable_drefs": "1", "use_absolute_path": "1"}
	mov := func(entry []byte) string {
		return string(replaceBox(t, clip, entry, "moov", "trak", "mdia", "minf", "dinf", "dref"))
	}
	segments := func(name string) string {
		return "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + name + "\n#EXT-X-ENDLIST\n"
	}
	list := func(name string) string { return "ffconcat version 1.0\nfile " + name + "\n" }
	const refused = spool.ErrUnsupported
	composed, listed := spool.ErrNotMedia, refused
	if later { // FFmpeg 7 detects compositions by their content, and playlists only with their names
		composed, listed = refused, spool.ErrNotMedia
	}
	return []reference{
		{name: "external.mov", content: mov(dataReference("alis", alias(bird.Path))), options: drefs,
			control: []string{"-enable_drefs", "1", "-use_absolute_path", "1"}, touched: bird.Opened},
		{name: "external-default.mov", content: mov(dataReference("alis", alias(bird.Path)))},
		{name: "remote.mov", content: mov(dataReference("alis", alias(url))), options: drefs}, // colons become slashes
		{name: "url.mov", content: mov(dataReference("url ", []byte("file://"+bird.Path+"\x00"))), options: drefs},
		{name: "remote-url.mov", content: mov(dataReference("url ", []byte(url+"\x00"))), options: drefs},
		{name: "linked.mkv", content: linkedMatroska("canary.mp4")},
		{name: "atom.mxf", content: opAtom(t, bird.Path)},

		{name: "subtitles.idx", content: "# VobSub index file, v7 (do not modify this line!)\nid: en, index: 0\n" +
			"timestamp: 00:00:00:000, filepos: 000000000\n", class: spool.ErrCorrupt,
			control: []string{}, touched: bird.Opened, beside: []string{"subtitles.sub"}},
		{name: "named.idx", content: "# VobSub index file, v7 (do not modify this line!)\n", format: "vobsub",
			options: map[string]string{"sub_name": bird.Path}, class: spool.ErrCorrupt,
			control: []string{"-sub_name", bird.Path}, touched: bird.Opened},
		{name: "raw.MLV", content: magicLantern(), class: spool.ErrNotMedia, control: []string{}, touched: bird.Opened,
			beside: []string{"raw.M00"}},
		{name: "frame%d.png", content: "no image", class: spool.ErrNotMedia, control: []string{"-f", "image2"},
			touched: bird.Opened, beside: []string{"frame1.png"}},
		{name: "frame%d.bmp", content: "no image", format: "image2", class: refused, control: []string{"-f", "image2"},
			touched: bird.Opened, beside: []string{"frame1.bmp"}},

		{name: "composition.xml", content: composition(url), class: composed,
			control: []string{"-f", "imf"}, touched: bird.Opened, beside: []string{"ASSETMAP.xml"}},
		{name: "named.xml", content: composition(url), format: "imf", class: refused, control: []string{"-f", "imf"},
			touched: bird.Opened},
		{name: "list.ffconcat", content: list("canary.mp4"), class: refused, control: []string{}, touched: bird.Opened},
		{name: "rtsp.ffconcat", content: list("rtsp://" + bird.Address + "/x"), class: refused, touched: bird.Asked,
			control: []string{"-safe", "0", "-protocol_whitelist", "file,rtsp,rtp,udp,tcp"}},
		{name: "local.m3u8", content: segments("canary.mp4"), class: listed,
			control: []string{"-allowed_extensions", "ALL"}, touched: bird.Opened},
		{name: "remote.m3u8", content: segments(url), class: listed,
			control: []string{"-protocol_whitelist", "file,http,tcp"}, touched: bird.Asked},
		{name: "plain.m3u", content: "#EXTM3U\n#EXTINF:1,\n" + url + "\n", class: spool.ErrNotMedia,
			control: []string{"-f", "hls", "-protocol_whitelist", "file,http,tcp"}, touched: bird.Asked},
		{name: "named.m3u", content: "#EXTM3U\n#EXTINF:1,\n" + url + "\n", format: "hls", class: refused,
			control: []string{"-f", "hls", "-protocol_whitelist", "file,http,tcp"}, touched: bird.Asked},
		{name: "manifest.mpd", content: `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" ` +
			`profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" mediaPresentationDuration="PT1S"><Period>` +
			`<AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>` + url + `</BaseURL>` +
			`</Representation></AdaptationSet></Period></MPD>`, class: refused,
			control: []string{"-protocol_whitelist", "file,http,tcp"}, touched: bird.Asked},
		{name: "stream.sdp", content: fmt.Sprintf("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\n"+
			"m=video %d RTP/AVP 33\n", port.Number), class: refused,
			control: []string{"-protocol_whitelist", "file,rtp,udp"}, touched: port.Bound},
		{name: "link.rtsp", content: "rtsp://" + bird.Address + "/x\n", class: spool.ErrNotMedia},
		{name: "named.rtsp", content: "rtsp://" + bird.Address + "/x\n", format: "rtsp", class: refused},
	}
}

// TestReferencesAreNotFollowed checks that files and servers that a media file names are not opened. The command
// ffprobe opens them. So the file is as FFmpeg wants it, and the test detects it.
func TestReferencesAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	clip, err := os.ReadFile("testdata/av.mp4")
	require.NoError(t, err)
	file := filepath.Join(dir, "canary.mp4")
	require.NoError(t, os.WriteFile(file, clip, 0o644))
	bird, port := canary.New(t, file), canary.NewPort(t)
	all := references(t, bird, port)
	bird.Opened() // by references
	for _, r := range all {
		path := filepath.Join(dir, r.name)
		require.NoError(t, os.WriteFile(path, []byte(r.content), 0o644))
		for _, name := range r.beside {
			require.NoError(t, os.Link(file, filepath.Join(dir, name)))
		}
		t.Run(r.name, func(t *testing.T) {
			for _, source := range []spool.Object{spool.File(path), spool.Bytes{Data: []byte(r.content)}} {
				bound := during(port.Bound, func() {
					c := enter(t, t.Context())
					in, err := av.Open(c, source, av.InputOptions{Format: r.format, Options: r.options})
					if r.class != "" {
						assert.ErrorIs(t, err, r.class)
						return
					}
					require.NoError(t, err)
					if stream := in.Best(av.Video, -1); stream >= 0 {
						_, _ = in.Scan(c, stream) // the packets may be elsewhere
					}
					require.NoError(t, in.Close())
				})
				assert.False(t, bird.Opened(), "the file that it names was opened")
				assert.False(t, bird.Asked(), "the server that it names was asked")
				assert.False(t, bound, "a socket listened at the port that it names")
			}
		})
		if r.control != nil {
			t.Run(r.name+", ffprobe", func(t *testing.T) { follow(t, path, r.control, r.touched) })
		}
	}
}

// during reports whether a condition held at a time while something was done.
func during(condition func() bool, do func()) bool {
	done, held := make(chan struct{}), make(chan bool)
	go func() {
		seen := false
		for {
			seen = seen || condition()
			select {
			case <-done:
				held <- seen || condition()
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	return <-held
}

// follow runs ffprobe until something was touched. It may wait for an answer, which nobody gives.
func follow(t *testing.T, path string, flags []string, touched func() bool) {
	t.Helper()
	ffprobe := need.Command(t, "ffprobe")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, ffprobe, append(append([]string{"-v", "error"}, flags...), path)...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	seen := during(func() bool {
		if !touched() {
			return false
		}
		cancel()
		return true
	}, func() { _ = command.Run() })
	assert.True(t, seen, "ffprobe %q does not open what %s names: %s", flags, path, &output)
}

// magicLantern is a file of a camera, whose next parts are files .M00, .M01 and so on.
func magicLantern() string {
	header := append([]byte("MLVI"), 52, 0, 0, 0)
	header = append(header, "v2.0\x00\x00\x00\x00"...)
	return string(append(header, make([]byte, 52-len(header))...))
}

// composition is a list of IMF, whose assets are named in the file ASSETMAP.xml beside it.
func composition(url string) string {
	const id = "urn:uuid:00000000-0000-0000-0000-000000000001"
	return `<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>` + id +
		`</Id><ContentTitle>` + url + `</ContentTitle><EditRate>24 1</EditRate><SegmentList><Segment><Id>` + id +
		`</Id><SequenceList><MainImageSequence xmlns="http://www.smpte-ra.org/schemas/2067-2/2016"><Id>` + id +
		`</Id><TrackId>` + id + `</TrackId><ResourceList><Resource><Id>` + id + `</Id><EditRate>24 1</EditRate>` +
		`<IntrinsicDuration>1</IntrinsicDuration><SourceDuration>1</SourceDuration><RepeatCount>1</RepeatCount>` +
		`<TrackFileId>` + id + `</TrackFileId></Resource></ResourceList></MainImageSequence></SequenceList></Segment>` +
		`</SegmentList></CompositionPlaylist>`
}

// replaceBox returns an MP4 file with another payload in the first box at a path. Chunk offsets remain valid, because
// the movie header is the last box.
func replaceBox(t *testing.T, file, payload []byte, path ...string) []byte {
	t.Helper()
	for at := 0; at+8 <= len(file); {
		size := int(binary.BigEndian.Uint32(file[at:]))
		if string(file[at+4:at+8]) != path[0] {
			at += size
			continue
		}
		if len(path) > 1 {
			payload = replaceBox(t, file[at+8:at+size], payload, path[1:]...)
		}
		box := binary.BigEndian.AppendUint32(nil, uint32(8+len(payload)))
		box = append(append(box, path[0]...), payload...)
		return append(append(append([]byte(nil), file[:at]...), box...), file[at+size:]...)
	}
	t.Fatalf("no box %s", path[0])
	return nil
}

// dataReference returns the payload of a dref box with one external reference.
func dataReference(kind string, record []byte) []byte {
	entry := binary.BigEndian.AppendUint32(nil, uint32(12+len(record)))
	entry = append(append(entry, kind...), 0, 0, 0, 0)
	payload := []byte{0, 0, 0, 0, 0, 0, 0, 1} // version, flags, number of entries
	return append(append(payload, entry...), record...)
}

// alias returns a QuickTime alias record.
func alias(path string) []byte {
	record := make([]byte, 130, 512)    // no volume name
	record = append(record, 0, 1, 0, 1) // levels: one from the file to the common folder, one to the target
	record = append(record, make([]byte, 16)...)
	name := []byte(path)
	if len(name)%2 == 1 {
		name = append(name, 0)
	}
	record = binary.BigEndian.AppendUint16(record, 2) // an absolute path
	record = binary.BigEndian.AppendUint16(record, uint16(len(name)))
	record = append(record, name...)
	return append(record, 0xFF, 0xFF, 0, 0) // the end
}

// linkedMatroska is a segment that names the files of the segments before and after it.
func linkedMatroska(name string) string {
	element := func(id string, content ...string) string {
		all := strings.Join(content, "")
		return id + string(binary.BigEndian.AppendUint32(nil, 1<<28|uint32(len(all)))) + all
	}
	track := "\xd7\x81\x01\x73\xc5\x81\x01\x83\x81\x02" + // number, UID, audio
		element("\x86", "A_PCM/INT/LIT") + element("\xe1", "\xb5\x84\x46\xfa\x00\x00\x9f\x81\x01\x62\x64\x81\x10")
	block := "\x81\x00\x00\x80" + strings.Repeat("\x00", 64)
	return element("\x1a\x45\xdf\xa3", element("\x42\x82", "matroska")) + element("\x18\x53\x80\x67",
		element("\x15\x49\xa9\x66", element("\x3c\x83\xab", name), element("\x3e\x83\xbb", name)),
		element("\x16\x54\xae\x6b", element("\xae", track)),
		element("\x1f\x43\xb6\x75", "\xe7\x81\x00", element("\xa3", block)))
}

// opAtom is audio in MXF with a network locator, which tells where the essence is.
func opAtom(t *testing.T, path string) string {
	t.Helper()
	ffmpeg := need.Command(t, "ffmpeg")
	name := filepath.Join(t.TempDir(), "atom.mxf")
	output, err := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-f", "lavfi", "-i", "sine=d=0.1:r=48000",
		"-c:a", "pcm_s16le", "-f", "mxf_opatom", name).CombinedOutput()
	require.NoError(t, err, "%s", output)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	var text []byte
	for _, unit := range utf16.Encode([]rune("file://" + path)) {
		text = binary.BigEndian.AppendUint16(text, unit)
	}
	set := append([]byte{0x3c, 0x0a, 0, 16}, bytes.Repeat([]byte{7}, 16)...) // its identity
	set = append(binary.BigEndian.AppendUint16(append(set, 0x40, 0x01), uint16(len(text))), text...)
	item := func(key string, content []byte) []byte {
		n := len(content)
		return append([]byte(key+"\x83"), append([]byte{byte(n >> 16), byte(n >> 8), byte(n)}, content...)...)
	}
	locator := item("\x06\x0e\x2b\x34\x02\x53\x01\x01\x0d\x01\x01\x01\x01\x01\x32\x00", set)
	const fill = "\x06\x0e\x2b\x34\x01\x01\x01\x02\x03\x01\x02\x10\x01\x00\x00\x00"
	sets := bytes.Index(data, []byte("\x06\x0e\x2b\x34\x02\x53"))
	require.Positive(t, sets)
	at := sets + bytes.Index(data[sets:], []byte(fill)) // after the sets, up to the essence
	room := int(binary.BigEndian.Uint32(data[at+16:]) & 0xffffff)
	rest := item(fill, data[at+20+len(locator):at+20+room])
	return string(slices.Concat(data[:at], locator, rest, data[at+20+room:]))
}
