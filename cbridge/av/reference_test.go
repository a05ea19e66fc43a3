package av_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/internal/canary"
	"github.com/spoolmedia/spool/internal/need"
)

// TestReferencesAreNotFollowed checks that files and URLs that a media file names are not opened. The ffmpeg command
// opens them, which shows that the test detects it.
func TestReferencesAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	clip, err := os.ReadFile("testdata/av.mp4")
	require.NoError(t, err)
	file := filepath.Join(dir, "canary.mp4")
	require.NoError(t, os.WriteFile(file, clip, 0o644))
	bird := canary.New(t, file)
	url := "http://" + bird.Address + "/canary.ts"
	for _, second := range []string{"subtitles.sub", "raw.M00", "ASSETMAP.xml"} { // of VobSub, Magic Lantern and IMF
		require.NoError(t, os.Link(file, filepath.Join(dir, second)))
	}

	media := []string{"moov", "trak", "mdia", "minf", "dinf", "dref"}
	for name, content := range map[string]string{
		"external.mov": string(replaceBox(t, clip, reference("alis", alias(file)), media...)),
		"url.mov":      string(replaceBox(t, clip, reference("url ", []byte("file://"+file+"\x00")), media...)),
		"remote.mov":   string(replaceBox(t, clip, reference("url ", []byte(url+"\x00")), media...)),
		"subtitles.idx": "# VobSub index file, v7 (do not modify this line!)\nid: en, index: 0\n" +
			"timestamp: 00:00:00:000, filepos: 000000000\n",
		"raw.MLV":         magicLantern(),
		"composition.xml": composition(url),
		"list.ffconcat":   "ffconcat version 1.0\nfile canary.mp4\n",
		"local.m3u8":      "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ncanary.mp4\n#EXT-X-ENDLIST\n",
		"remote.m3u8":     "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + url + "\n#EXT-X-ENDLIST\n",
		"stream.sdp":      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 33\n",
		"manifest.mpd":    `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1"><BaseURL>` + url + `</BaseURL></Representation></AdaptationSet></Period></MPD>`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
			for _, options := range []map[string]string{nil, {"enable_drefs": "1", "use_absolute_path": "1"}} {
				for _, source := range []spool.Object{spool.File(path), spool.Bytes{Data: []byte(content)}} {
					c := enter(t, t.Context())
					in, err := av.Open(c, source, av.InputOptions{Options: options})
					if err != nil {
						continue // refused
					}
					if stream := in.Best(av.Video, -1); stream >= 0 {
						_, _ = in.Scan(c, stream) // any result is valid
					}
					require.NoError(t, in.Close())
				}
			}
			assert.False(t, bird.Opened(), "the file that it names was opened")
			assert.False(t, bird.Asked(), "the server that it names was asked")
		})
	}

	ffprobe := need.Command(t, "ffprobe") // shows that the files are as FFmpeg wants them
	for name, options := range map[string][]string{"external.mov": {"-enable_drefs", "1", "-use_absolute_path", "1"},
		"subtitles.idx": nil, "raw.MLV": nil, "composition.xml": {"-f", "imf"}, "list.ffconcat": nil,
		"local.m3u8": {"-allowed_extensions", "ALL"}} {
		args := append(append([]string{"-v", "error"}, options...), filepath.Join(dir, name))
		_, _ = exec.CommandContext(t.Context(), ffprobe, args...).CombinedOutput()
		assert.True(t, bird.Opened(), "ffprobe opens what %s names", name)
	}
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

// reference returns the payload of a dref box with one external reference.
func reference(kind string, record []byte) []byte {
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
