package video_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
)

// processorTime is the CPU time that this process has used.
func processorTime(tb testing.TB) time.Duration {
	var use syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// commandTime is the CPU time of the ffmpeg command with one thread for some frames of a file: written to nowhere as
// "rawvideo", or dropped ("null").
func commandTime(b *testing.B, ffmpeg, path, format string, frames int) time.Duration {
	command := exec.Command(ffmpeg, "-v", "error", "-nostdin", "-threads", "1", "-filter_threads", "1", "-i", path,
		"-frames:v", fmt.Sprint(frames), "-pix_fmt", "rgb24", "-f", format, "-y", os.DevNull)
	require.NoError(b, command.Run())
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

// Exact frames of each class of pixel formats at their own size, compared with the ffmpeg command of the same version.
// The file is not compressed, so that the conversion is most of the work.
//
// "rate" is the CPU time of the command when it writes the frames, divided by ours; "rate-null" is the same when it
// drops them. Each time is the minimum of several alternating rounds, and the command's start-up is subtracted.
func BenchmarkExactFrames(b *testing.B) {
	ffmpeg := need.Command(b, "ffmpeg")
	frames, rounds := 32, 7
	if testing.Short() {
		frames, rounds = 2, 1
	}
	d := decodetest.New(b, decoders.Options{})
	for _, form := range []struct {
		format, size string
	}{
		{"yuv420p", "1280x720"}, {"yuv420p", "1279x720"}, {"yuv420p", "1280x719"}, {"yuv420p", "1279x719"},
		{"nv12", "1280x720"}, {"yuv422p", "1280x720"}, {"uyvy422", "1280x720"}, {"yuv444p", "1280x720"},
		{"yuv411p", "1280x720"},
		{"gray", "1280x720"}, {"gbrp", "1280x720"}, {"rgb24", "1280x720"}, {"yuva420p", "1280x720"},
		{"yuv420p10le", "1280x720"}, {"yuv420p10le", "1279x719"}, {"p010le", "1280x720"}, {"yuv422p10le", "1280x720"},
		{"yuv444p10le", "1280x720"}, {"yuv420p12le", "1280x720"}, {"gray10le", "1280x720"}, {"gbrp10le", "1280x720"},
		{"yuv420p16le", "1280x720"},
	} {
		b.Run(form.format+"/"+form.size, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "a.nut")
			// odd sides as well
			made, err := exec.Command(ffmpeg, "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc=r=25:s="+form.size,
				"-frames:v", fmt.Sprint(frames), "-pix_fmt", form.format, "-c:v", "rawvideo", path).CombinedOutput()
			require.NoError(b, err, "%s", made)
			defer func() { require.NoError(b, os.Remove(path)) }()
			v := decodetest.OpenVideo(b, d, spool.File(path), video.OpenOptions{})
			require.Equal(b, frames, v.Len())
			require.Equal(b, form.size, fmt.Sprintf("%dx%d", v.Info().Width, v.Info().Height))
			for b.Loop() {
				ours, written, thrown, start := time.Hour, time.Hour, time.Hour, time.Hour
				for range rounds {
					before := processorTime(b)
					for clip, err := range v.Chunks(ctx, 8, video.Spec{}) {
						require.NoError(b, err)
						clip.Release()
					}
					ours = min(ours, processorTime(b)-before)
					written = min(written, commandTime(b, ffmpeg, path, "rawvideo", frames))
					thrown = min(thrown, commandTime(b, ffmpeg, path, "null", frames))
					start = min(start, commandTime(b, ffmpeg, path, "null", 1))
				}
				each := func(t time.Duration, n int) float64 { return float64(t.Microseconds()) / float64(n) }
				command := each(written-start, frames-1)
				b.ReportMetric(command/each(ours, frames), "rate")
				b.ReportMetric(each(thrown-start, frames-1)/each(ours, frames), "rate-null")
				b.ReportMetric(each(ours, frames), "us/frame")
				b.ReportMetric(command, "ffmpeg-us/frame")
			}
		})
	}
}
