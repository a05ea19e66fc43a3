package settings

import (
	"regexp"
	"strings"
)

// translations give complaints of the libraries about their fields in the words of the settings, which Set.Err then
// makes flags or keys. The first match applies.
var translations = []struct {
	said *regexp.Regexp
	here string
}{
	{regexp.MustCompile(`^Width and Height exclude Shorter.*`),
		"--size and --resize-shorter exclude each other: give one"},
	{regexp.MustCompile(`^Mode (\w+) needs Width and Height$`), "--mode=$1 needs --size"},
	{regexp.MustCompile(`^Mode (\w+) excludes CropWidth and CropHeight.*`), "--mode=$1 excludes --crop: it gives --size"},
	{regexp.MustCompile(`^(?:Width|Height) (-?\d+): (.*)`), "--size: a side of $1 pixels $2"},
	{regexp.MustCompile(`^Shorter (-?\d+): (.*)`), "--resize-shorter=$1: $2"},
	{regexp.MustCompile(`^Crop(?:Width|Height) (-?\d+): (.*)`), "--crop: a side of $1 pixels $2"},
	{regexp.MustCompile(`^Box (\S+): (.*)`), "--box: the rectangle $1 $2"},
	{regexp.MustCompile(`^Box (\S+) excludes ResizedCrop.*`),
		"--box excludes --random-scale and --random-ratio: give one"},
	{regexp.MustCompile(`^Crop needs CropWidth.*`), "--random-crop needs --crop, the size of the crop"},
	{regexp.MustCompile(`^Scale (\S+) to (\S+): (.*)`), "--random-scale=$1,$2: $3"},
	{regexp.MustCompile(`^Ratio (\S+) to (\S+): (.*)`), "--random-ratio=$1,$2: $3"},
	{regexp.MustCompile(`^Padding .* smaller than the crop, (.*)`),
		"--random-crop: must be smaller than --crop=$1 on each side"},
	{regexp.MustCompile(`^the samples of a batch need one size.*`),
		"the samples of a batch need one size: give --size, or --resize-shorter with --crop"},
	{regexp.MustCompile(`^Stride needs Random.*`), "--stride needs --train: other clips are spread over the whole file"},
	{regexp.MustCompile(`^Cache and DiskCache exclude random.*`),
		"a cache of decoded samples excludes --train: each epoch has other pixels; --disk-cache-of=objects keeps the files"},
	{regexp.MustCompile(`^Cache, DiskCache and Headspace need samples.*`),
		"a cache of samples and --headspace need --duration: samples of one size"},
	{regexp.MustCompile(`^mean and std need a float type$`), "--mean and --std need --dtype=float32 or float16"},
	{regexp.MustCompile(`^(mean|std) has (\d+) values for 1 channels$`),
		"--$1 has $2 values, and --color has 1 channel: give 1"},
	{regexp.MustCompile(`^(mean|std) has (\d+) values for (\d+) channels$`),
		"--$1 has $2 values, and --color has $3 channels: give 1 or $3"},
	{regexp.MustCompile(`^std of 0$`), "--std must not be 0: values are divided by it"},
	{regexp.MustCompile(`^(mean|std) of (\S+)$`), "--$1: $2 is not a finite number"},
	{regexp.MustCompile(`^alpha cannot be kept and blended at once$`),
		"--alpha=over:#rrggbb excludes --color=rgba: blended pixels have no alpha channel"},
	{regexp.MustCompile(`^a start of (\S+) s$`), "--start=$1: must be at least 0, in seconds from the first sample"},
	{regexp.MustCompile(`^an end of (\S+) s with a start of (\S+) s$`), "--end=$1 is before --start=$2"},
	{regexp.MustCompile(`^a stream is chosen by number or by language$`),
		"--stream and --language exclude each other: each selects a stream; give one"},
	{regexp.MustCompile(`^this FFmpeg knows no devices of the type (.*)$`),
		"--hwaccel: this FFmpeg has no devices of the type $1"},
	{regexp.MustCompile(`^a state needs Order .*`), "a state needs --order=exact, and no --headspace"},
	{regexp.MustCompile(`^image: Quality (-?\d+): (.*)`), "--quality=$1: $2"},
	{regexp.MustCompile(`^image: Effort (-?\d+): (.*)`), "--effort=$1: $2"},
	{regexp.MustCompile(`^image: Quality needs (.*)`), "--quality needs $1"},
	{regexp.MustCompile(`^image: Chroma needs (.*)`), "--chroma needs $1"},
	{regexp.MustCompile(`^image: Lossless needs (.*)`), "--lossless needs $1"},
	{regexp.MustCompile(`^a rate of (\d+)$`), "--rate=$1: must be at most 16777216 samples a second"},
	{regexp.MustCompile(`^(\d+) channels$`), "--channels=$1: too many channels"},
}

// translated returns a complaint in the words of the settings, or unchanged if it needs no translation.
func translated(text string) string {
	for _, t := range translations {
		if t.said.MatchString(text) {
			return t.said.ReplaceAllString(text, t.here)
		}
	}
	return text
}

// Flags names flags in the text of an error of options, in place of the libraries' fields: --size 8.
func Flags(text string) string { return flagName.ReplaceAllStringFunc(translated(text), asFlag) }

// Keys names keys in the text of an error of options, in place of the libraries' fields: size=8.
func Keys(text string) string {
	return flagName.ReplaceAllStringFunc(translated(text), func(flag string) string { return key(flag[2:]) })
}

func asFlag(flag string) string { return strings.Replace(flag, "=", " ", 1) }
