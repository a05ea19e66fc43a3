package settings

import (
	"regexp"
	"strings"
	"sync"
)

// translations give complaints of the libraries about their fields in the words of the settings, which Set.Err then
// makes flags or keys. The first match applies.
var translations = []struct {
	said, here string
}{
	{`^Width and Height exclude Shorter.*`,
		"--size and --resize-shorter exclude each other: give one"},
	{`^Mode (\w+) needs Width and Height$`, "--mode=$1 needs --size"},
	{`^Mode (\w+) excludes CropWidth and CropHeight.*`, "--mode=$1 excludes --crop: it gives --size"},
	{`^(?:Width|Height) (-?\d+): (.*)`, "--size: a side of $1 pixels $2"},
	{`^Shorter (-?\d+): (.*)`, "--resize-shorter=$1: $2"},
	{`^Crop(?:Width|Height) (-?\d+): (.*)`, "--crop: a side of $1 pixels $2"},
	{`^Box (\S+): (.*)`, "--box: the rectangle $1 $2"},
	{`^Box (\S+) excludes ResizedCrop.*`,
		"--box excludes --random-scale and --random-ratio: give one"},
	{`^Crop needs CropWidth.*`, "--random-crop needs --crop, the size of the crop"},
	{`^Scale (\S+) to (\S+): (.*)`, "--random-scale=$1,$2: $3"},
	{`^Ratio (\S+) to (\S+): (.*)`, "--random-ratio=$1,$2: $3"},
	{`^Padding .* smaller than the crop, (.*)`,
		"--random-crop: must be smaller than --crop=$1 on each side"},
	{`^the samples of a batch need one size.*`,
		"the samples of a batch need one size: give --size, or --resize-shorter with --crop"},
	{`^Stride needs Random.*`, "--stride needs --train: other clips are spread over the whole file"},
	{`^Cache and DiskCache exclude random.*`,
		"a cache of decoded samples excludes --train: each epoch has other pixels; --disk-cache-of=objects keeps the files"},
	{`^Cache, DiskCache and Headspace need samples.*`,
		"a cache of samples and --headspace need --duration: samples of one size"},
	{`^mean and std need a float type$`, "--mean and --std need --dtype=float32 or float16"},
	{`^(mean|std) has (\d+) values for 1 channels$`,
		"--$1 has $2 values, and --color has 1 channel: give 1"},
	{`^(mean|std) has (\d+) values for (\d+) channels$`,
		"--$1 has $2 values, and --color has $3 channels: give 1 or $3"},
	{`^std of 0$`, "--std must not be 0: values are divided by it"},
	{`^(mean|std) of (\S+)$`, "--$1: $2 is not a finite number"},
	{`^alpha cannot be kept and blended at once$`,
		"--alpha=over:#rrggbb excludes --color=rgba: blended pixels have no alpha channel"},
	{`^a start of (\S+) s$`, "--start=$1: must be at least 0, in seconds from the first sample"},
	{`^an end of (\S+) s with a start of (\S+) s$`, "--end=$1 is before --start=$2"},
	{`^a stream is chosen by number or by language$`,
		"--stream and --language exclude each other: each selects a stream; give one"},
	{`^this FFmpeg knows no devices of the type (.*)$`,
		"--hwaccel: this FFmpeg has no devices of the type $1"},
	{`^device "(.*)": must be (cuda:N.*)`, "--hwaccel=$1: must be $2"},
	{`^a state needs Order .*`, "a state needs --order=exact, and no --headspace"},
	{`^image: Quality (-?\d+): (.*)`, "--quality=$1: $2"},
	{`^image: Effort (-?\d+): (.*)`, "--effort=$1: $2"},
	{`^image: Quality needs (.*)`, "--quality needs $1"},
	{`^image: Chroma needs (.*)`, "--chroma needs $1"},
	{`^image: Lossless needs (.*)`, "--lossless needs $1"},
	{`^a rate of (\d+)$`, "--rate=$1: must be at most 16777216 samples a second"},
	{`^(\d+) channels$`, "--channels=$1: too many channels"},
}

// said are the expressions of translations. Only errors need them, so programs do not compile them at their start.
var said = sync.OnceValue(func() (list []*regexp.Regexp) {
	for _, t := range translations {
		list = append(list, regexp.MustCompile(t.said))
	}
	return list
})

// translated returns a complaint in the words of the settings, or unchanged if it needs no translation.
func translated(text string) string {
	for i, expression := range said() {
		if expression.MatchString(text) {
			return expression.ReplaceAllString(text, translations[i].here)
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
