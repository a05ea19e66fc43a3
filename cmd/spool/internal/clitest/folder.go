package clitest

import "testing"

// folderOf returns a folder of media for runs, with none of the files that are bad on purpose.
func folderOf(t testing.TB, kind string, names ...string) string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		files["class/"+name] = kind + "/" + name
	}
	return Link(t, files)
}

// SomeVideos returns a folder of videos.
func SomeVideos(t testing.TB) string {
	t.Helper()
	return folderOf(t, "video", "bframes.mp4", "vfr.mp4", "opengop.mp4", "mjpeg.mov", "av1.mkv")
}

// SomeAudio returns a folder of audio files.
func SomeAudio(t testing.TB) string {
	t.Helper()
	return folderOf(t, "audio", "mp3.mp3", "aac.m4a", "s16.wav", "opus.opus", "flac.flac", "six.wav")
}
