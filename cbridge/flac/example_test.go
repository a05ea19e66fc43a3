package flac_test

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// Prints the highest sample of each channel of a file in memory.
func Example() {
	file := lanetest.Must(os.ReadFile("../../testdata/audio/flac.flac"))
	h, reason, err := flac.ReadHeader(func(offset int64, _ int) ([]byte, error) {
		return file[min(offset, int64(len(file))):], nil
	})
	if err != nil || reason != flac.Decoded {
		fmt.Println("for FFmpeg:", reason, err)
		return
	}
	d := lanetest.Must(flac.New(h))
	defer d.Close()
	highest := make([]int16, h.Channels)
	at := int64(0)
	for data := file[h.Start:]; len(data) > 0; {
		f, reason := d.Decode(data, at)
		if reason != flac.Decoded {
			fmt.Println("for FFmpeg:", reason)
			return
		}
		for c, plane := range d.Planes() {
			for _, v := range unsafe.Slice((*int16)(plane), f.Samples) {
				highest[c] = max(highest[c], v)
			}
		}
		data, at = data[f.Bytes:], at+int64(f.Samples)
	}
	fmt.Println(h.Rate, h.Bits, at == h.Samples, highest)
	// Output: 16000 16 true [16247]
}
