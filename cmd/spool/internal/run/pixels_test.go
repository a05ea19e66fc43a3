package run

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// The flags for pixels are the same for a run: its batches contain the decoded images.
func TestRunPixels(t *testing.T) {
	for _, flags := range []string{
		"--size 40 --dtype float16 --mean 0.5 --std 0.25,0.3,0.2 --layout nchw --color bgr",
		"--size 40x30 --mode fit --pad-color #102030 --filter lanczos --profile pillow",
		"--resize-shorter 64 --crop 40x50 --color gray --dtype uint16",
		"--size 33 --alpha over:#112233 --icc --orient=false",
	} {
		one := flags
		for _, square := range []string{"40", "33"} { // decode image wants WxH
			one = strings.Replace(one, "--size "+square+" ", "--size "+square+"x"+square+" ", 1)
		}
		for _, file := range []string{clitest.Photo, clitest.Good + "exif6.jpg", clitest.Good + "rgba.png",
			clitest.Good + "icc.jpg"} {
			h := sha256.New()
			h.Write(tool.Decoded(t, "image", file, strings.Fields(one)...).Data)
			h.Write([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) // no label
			got := tool.Done(t, append([]string{"run", "images", file, "--digest", "--json"}, strings.Fields(flags)...)...)
			assert.Equal(t, "0 0 "+hex.EncodeToString(h.Sum(nil)), clitest.Lines(got)[0], "%s %s", flags, file)
		}
	}
}

// With --train, the pixels depend on the seed and the epoch, not on the number of workers.
func TestRunTrain(t *testing.T) {
	digests := func(flags ...string) []string {
		args := []string{"run", "images", clitest.Media + "/photos", "--size", "32", "--batch", "44", "--epochs", "2",
			"--digest", "--json"}
		return clitest.Lines(tool.Done(t, append(args, flags...)...))[:2]
	}
	train := digests("--train", "--workers", "1")
	assert.Equal(t, train, digests("--train", "--workers", "64"))
	assert.NotEqual(t, train, digests("--train", "--seed", "1"))
	assert.NotEqual(t, train[0][len("0 0"):], train[1][len("1 0"):])
	assert.NotEqual(t, train, digests())
}
