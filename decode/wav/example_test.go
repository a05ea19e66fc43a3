package wav_test

import (
	"bytes"
	"fmt"

	"github.com/spoolmedia/spool/decode/wav"
)

// The left channel of a file in memory.
func Example() {
	file := []byte("RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00" +
		"\x01\x00\x02\x00\x80\x3e\x00\x00\x00\xfa\x00\x00\x04\x00\x10\x00" + // 16 bits, stereo, 16 kHz
		"data\x08\x00\x00\x00\x00\x40\x00\x00\x00\xc0\x00\x00")
	h, err := wav.ReadHeader(bytes.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	n := h.Within(int64(len(file)))
	samples := file[h.Offset:][:n*int64(h.Stride())]
	left := make([]float32, n)
	wav.Channel(h, left, samples, 0)
	fmt.Println(h.Encoding, h.Channels, h.Rate, left)
	// Output: pcm_s16le 2 16000 [0.5 -0.5]
}
