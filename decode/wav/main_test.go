package wav_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// chunk is a chunk of a file: four letters, size, content, and a pad byte after odd content.
func chunk(id string, content []byte) []byte {
	b := append([]byte(id), binary.LittleEndian.AppendUint32(nil, uint32(len(content)))...)
	b = append(b, content...)
	if len(content)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// riff is a file of chunks.
func riff(chunks ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WAVE"), bytes.Join(chunks, nil)...))
}

// rf64 is a file of chunks with 64-bit sizes at the front.
func rf64(id string, samples uint64, chunks ...[]byte) []byte {
	ds64 := make([]byte, 28)
	binary.LittleEndian.PutUint64(ds64[8:], samples)
	file := riff(append([][]byte{chunk("ds64", ds64)}, chunks...)...)
	copy(file, id)
	binary.LittleEndian.PutUint32(file[4:], 0xffffffff)
	return file
}

// description is a chunk "fmt " with WAVEFORMATEX.
func description(tag, channels, rate, bits int) []byte {
	return chunk("fmt ", plain(tag, channels, rate, bits))
}

func plain(tag, channels, rate, bits int) []byte {
	block := channels * ((bits + 7) / 8)
	var b []byte
	b = binary.LittleEndian.AppendUint16(b, uint16(tag))
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*block))
	b = binary.LittleEndian.AppendUint16(b, uint16(block))
	return binary.LittleEndian.AppendUint16(b, uint16(bits))
}

// extensible is a chunk "fmt " with WAVE_FORMAT_EXTENSIBLE.
func extensible(tag, channels, rate, bits, valid int, speakers uint32) []byte {
	b := binary.LittleEndian.AppendUint16(plain(0xfffe, channels, rate, bits), 22)
	b = binary.LittleEndian.AppendUint16(b, uint16(valid))
	b = binary.LittleEndian.AppendUint32(b, speakers)
	b = binary.LittleEndian.AppendUint16(b, uint16(tag))
	return chunk("fmt ", append(b, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...))
}

// sized is a chunk of samples whose header claims a size.
func sized(size uint32, content []byte) []byte {
	b := chunk("data", content)
	binary.LittleEndian.PutUint32(b[4:], size)
	return b
}

// ffmpeg is the result of FFmpeg for a file, as samples of a format in native byte order.
func ffmpeg(t *testing.T, file []byte, format string) []byte {
	t.Helper()
	path := need.Command(t, "ffmpeg")
	var complaint bytes.Buffer
	command := exec.CommandContext(t.Context(), path, "-v", "error", "-f", "wav", "-i", "-", "-f", format, "-")
	command.Stdin, command.Stderr = bytes.NewReader(file), &complaint
	out, err := command.Output()
	require.NoError(t, err, complaint.String())
	return out
}

// stream hides all methods of a reader except Read.
type stream struct{ io.Reader }
