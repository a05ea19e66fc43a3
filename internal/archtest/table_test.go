package archtest

// rule lists what the packages at a path may import, besides the standard library.
type rule struct {
	path   string   // within the module, "." for the root; "cbridge/*" is everything below cbridge without its own rule
	ours   []string // packages of this module, in the form of paths; "*" is any
	theirs []string // modules of others, besides golang.org/x; all tests may use testify
	alone  bool     // only the standard library, and nothing in ours
	pure   bool     // builds without cgo
	calls  bool     // calls C
	why    string
}

// table lists the allowed imports. Dependencies point one way: checkTable refuses cycles. Every package without alone
// may import internal packages.
var table = []rule{
	{path: ".", pure: true,
		why: "the types that all packages share: an import of them brings nothing else"},
	{path: "internal/*", alone: true, pure: true,
		why: "every package may import it, so it gets what it checks as arguments"},

	{path: "internal/stoptest", ours: []string{"internal/timing"}, pure: true,
		why: "time limits are checked on request"},
	{path: "internal/ranges", ours: []string{"."}, pure: true,
		why: "reads ranges of objects, for sources and for decoders"},
	{path: "internal/decoders", ours: []string{".", "resize", "decode", "decode/image", "decode/video", "decode/audio"},
		why: "programs that decode all media open their decoders the same way"},
	{path: "internal/settings", ours: []string{".", "resize", "decode", "decode/image", "decode/video", "decode/audio", "decode/index", "internal/decoders", "batch", "order", "source", "source/object", "source/parquet", "source/cache", "loader"},
		why: "the settings of the command and of the C interface, which open loaders"},

	{path: "internal/tally", ours: []string{".", "decode/image", "decode/audio", "batch", "pipe", "source/object", "loader", "source/cache"},
		why: "statistics of a loader, for the command and the C interface"},
	{path: "internal/probed", ours: []string{".", "decode", "decode/probe", "cbridge/av"},
		why: "description of a file, for the command and the C interface"},
	{path: "internal/checkup", ours: []string{".", "internal/decoders", "transfer", "source", "source/object", "internal/settings", "cbridge/*"},
		why: "report on the machine and its libraries, for the command and the C interface"},

	{path: "internal/lanetest", ours: []string{".", "cbridge/call", "cbridge/kernel"}, theirs: []string{"github.com/stretchr/testify"},
		why: "one suite for all image lanes, which decodes to the kernels' sinks"},
	{path: "internal/s3test", theirs: []string{"github.com/minio/minio-go", "github.com/stretchr/testify"}, pure: true,
		why: "tests of several packages need a real S3 server"},

	{path: "order", alone: true, pure: true,
		why: "the order of samples is arithmetic, useful without the other packages"},
	{path: "pipe", alone: true, pure: true,
		why: "stages know nothing of media; both meet in function types"},
	{path: "batch", ours: []string{"."}, pure: true,
		why: "decoders fill slots; batch never reads their content"},
	{path: "source/shard", ours: []string{"."}, theirs: []string{"github.com/klauspost/compress"}, pure: true,
		why: "tar files are useful without folders and lists, and need zstd"},
	{path: "source/npy", ours: []string{"."}, theirs: []string{"github.com/klauspost/compress"}, pure: true,
		why: "arrays are useful without the other packages, and decompression dominates their time"},
	{path: "source/parquet", ours: []string{".", "source", "source/shard"}, theirs: []string{"github.com/parquet-go/parquet-go", "github.com/klauspost/compress"}, pure: true,
		why: "programs without Parquet files do not link its reader"},
	{path: "source/object", ours: []string{".", "source"}, theirs: []string{"github.com/minio/minio-go", "github.com/minio/crc64nvme"}, pure: true,
		why: "programs that read local files do not link a network client"},
	{path: "source/cache", ours: []string{".", "source"}, pure: true,
		why: "a disk cache keeps bytes: of objects, or of a loader's samples"},
	{path: "source", ours: []string{".", "order", "source/shard"}, theirs: []string{"github.com/google/renameio", "mvdan.cc/sh"}, pure: true,
		why: "the origin of bytes is independent of their meaning"},
	{path: "resize", ours: []string{".", "order"}, pure: true,
		why: "geometry is planned in Go; the kernels that run a plan are reached by decode"},

	{path: "cbridge/mem", ours: []string{"."}, calls: true,
		why: "the lowest part of the C side"},
	{path: "cbridge/call", ours: []string{".", "cbridge/mem"}, calls: true,
		why: "every call into C goes through it, so it knows none of the libraries"},
	{path: "cbridge/av", ours: []string{".", "cbridge/mem", "cbridge/call"}, theirs: []string{"github.com/asticode/go-astiav"}, calls: true,
		why: "the one place that depends on an FFmpeg release"},
	{path: "cbridge/cuda/fake", calls: true,
		why: "a simulated driver is independent of the code under test"},
	{path: "cbridge/av/fake", ours: []string{"cbridge/cuda/fake"}, calls: true,
		why: "the simulated driver, under the name that FFmpeg loads"},
	{path: "cbridge/nvjpeg/fake", ours: []string{"cbridge/cuda/fake"}, calls: true,
		why: "writes to the memory of the simulated driver"},
	{path: "cbridge/cuda/kernels", ours: []string{".", "cbridge/cuda", "cbridge/kernel"}, calls: true,
		why: "a device converts video with the host's coefficients"},
	{path: "cbridge/floor", ours: []string{".", "cbridge/png"}, calls: true,
		why: "bare libraries, and the PNG filters that run after libdeflate"},
	{path: "cbridge/floor/*", ours: []string{".", "cbridge/vips", "cbridge/resample", "cbridge/cuda"}, calls: true,
		why: "bare libraries, with the option types of the lanes"},
	{path: "cbridge/*", ours: []string{".", "cbridge/mem", "cbridge/call"}, calls: true,
		why: "one folder for each library; decode combines libraries, through sink.h"},

	{path: "decode/wav", ours: []string{"."}, pure: true,
		why: "WAV is simple enough for Go, and useful without FFmpeg"},
	{path: "decode/index", ours: []string{"."}, pure: true,
		why: "queries of an index need no decoder"},
	{path: "decode/internal/tiff", ours: []string{"."}, pure: true,
		why: "TIFF and EXIF share the structure of their directories, which Go parses"},
	{path: "decode/internal/raster", ours: []string{"."}, pure: true,
		why: "formats that need only a few lines of Go"},
	{path: "decode/internal/jpegfile", ours: []string{"decode/internal/tiff"}, pure: true,
		why: "markers of JPEG, for its lane and for devices"},
	{path: "decode/image/format", ours: []string{"decode/internal/raster"}, pure: true,
		why: "a program can detect formats without the libraries that decode them"},
	{path: "decode", ours: []string{".", "resize"}, pure: true,
		why: "what media share links no codec"},
	{path: "decode/internal/failure", ours: []string{"."}, pure: true,
		why: "classes of errors are the same for all media"},
	{path: "decode/internal/lifetime", ours: []string{"."}, pure: true,
		why: "devices are freed after the last user, whatever it decodes"},
	{path: "decode/internal/limit", ours: []string{".", "decode"}, pure: true,
		why: "limits are checked the same way for all media"},
	{path: "decode/internal/contents", ours: []string{".", "decode", "decode/internal/limit"}, pure: true,
		why: "files are read the same way for all media"},
	{path: "decode/internal/pixels", ours: []string{".", "resize", "decode", "cbridge/kernel"},
		why: "images and frames of video go through the same kernels"},
	{path: "decode/internal/container", ours: []string{".", "decode", "decode/index", "cbridge/av", "cbridge/call", "cbridge/resample"},
		why: "video and audio are read from the same containers"},
	{path: "decode/packets", ours: []string{".", "decode", "decode/index", "decode/internal/container", "decode/internal/failure", "cbridge/av", "cbridge/call"},
		why: "packets are of video or of audio"},
	{path: "decode/image", ours: []string{".", "resize", "decode", "decode/image/format", "decode/internal/contents", "decode/internal/failure",
		"decode/internal/jpegfile", "decode/internal/limit", "decode/internal/pixels", "decode/internal/raster", "decode/internal/tiff", "cbridge/*"},
		why: "programs that decode images link no FFmpeg: TestImagesOnly"},
	{path: "decode/video", ours: []string{".", "resize", "decode", "decode/index", "decode/packets", "decode/internal/container", "decode/internal/contents",
		"decode/internal/failure", "decode/internal/lifetime", "decode/internal/limit", "decode/internal/pixels", "cbridge/*"}, theirs: []string{"github.com/google/renameio"},
		why: "FFmpeg and kernels, without the libraries of images"},
	{path: "decode/audio", ours: []string{".", "decode", "decode/index", "decode/wav", "decode/packets", "decode/internal/container", "decode/internal/contents",
		"decode/internal/failure", "decode/internal/limit", "cbridge/*"},
		why: "FFmpeg, our FLAC engine and the resampler, without pixels"},
	{path: "decode/graph", ours: []string{".", "decode", "decode/packets", "decode/video", "decode/audio", "decode/internal/container", "decode/internal/contents",
		"decode/internal/failure", "decode/internal/limit", "cbridge/av", "cbridge/call"},
		why: "a graph has inputs of both media, so it is above them"},
	{path: "decode/device", ours: []string{".", "decode/image", "decode/image/format", "decode/internal/failure", "decode/internal/jpegfile", "decode/internal/lifetime",
		"decode/internal/limit", "cbridge/call", "cbridge/cuda", "cbridge/nvjpeg"},
		why: "the host decodes what a device does not, so it is above images"},
	{path: "decode/probe", ours: []string{".", "decode", "decode/index", "decode/image", "decode/image/format", "decode/video", "decode/internal/container",
		"decode/internal/contents", "decode/internal/failure", "decode/internal/limit", "cbridge/*"},
		why: "a file of any medium is probed above the media"},
	{path: "encode", ours: []string{".", "resize", "cbridge/*"},
		why: "the counterpart of decode: it writes decode's inputs to other containers"},
	{path: "transfer", ours: []string{".", "batch", "cbridge/mem", "cbridge/call", "cbridge/cuda", "cbridge/cuda/kernels", "cbridge/dlpack", "cbridge/kernel"},
		why: "copies batches to devices, whatever their content"},
	{path: "loader", ours: []string{".", "decode", "decode/image", "decode/video", "decode/audio", "decode/probe", "decode/index", "internal/decoders", "resize", "batch", "order", "pipe", "source", "source/cache", "transfer"},
		why: "composes the whole pipeline, and reaches C only through decode and transfer"},

	{path: "cmd/spool/internal/output", ours: []string{"."}, pure: true,
		why: "the outputs of commands are independent of the commands"},
	{path: "cmd/spool/internal/cli", ours: []string{".", "pipe", "internal/settings", "internal/checkup", "cmd/spool/internal/output"},
		theirs: []string{"github.com/spf13/cobra"},
		why:    "flags and exit codes are the same for all commands, so it is independent of them"},
	{path: "cmd/spool/internal/chart", ours: []string{"cmd/spool/internal/cli", "cmd/spool/internal/output"}, theirs: []string{"gonum.org/v1/plot"},
		why: "it draws the data that it gets as arguments"},
	{path: "cmd/spool/internal/inputs", ours: []string{".", "decode", "source", "source/object"},
		why: "files are opened the same way for all commands"},
	{path: "cmd/spool/internal/failures", ours: []string{".", "pipe", "cmd/spool/internal/cli", "cmd/spool/internal/output"},
		why: "a run and its replay report bad samples in the same way"},
	{path: "cmd/spool/internal/page", theirs: []string{"gonum.org/v1/plot"},
		ours: []string{".", "pipe", "source", "source/object", "resize", "decode", "decode/image", "decode/video", "encode", "loader", "cmd/spool/internal/chart",
			"cmd/spool/internal/cli", "cmd/spool/internal/inputs", "cmd/spool/internal/output"},
		why: "a page shows the data of a run that it gets as arguments"},
	{path: "cmd/spool/internal/clitest", theirs: []string{"github.com/spf13/cobra", "github.com/stretchr/testify"},
		ours: []string{".", "pipe", "cbridge/mem", "cbridge/vips", "cmd/spool/internal/cli"},
		why:  "tests pass it the commands that they call"},
	{path: "cmd/*", ours: []string{"*"}, theirs: []string{"github.com/google/renameio", "github.com/spf13/cobra", "github.com/spf13/pflag", "gonum.org/v1/plot"},
		why: "commands are at the top, and only they link a command line library and charts"},
	{path: "capi", ours: []string{"*"}, calls: true,
		why: "the C interface is at the top"},
	{path: "bench", ours: []string{"*"},
		why: "measures everything, used by nobody"},
	{path: "bench/*", ours: []string{"*"}, theirs: []string{"gonum.org/v1/plot"},
		why: "measures everything, used by nobody"},
}

// maxLines is the length at which a file should be split.
const maxLines = 600

// long are the files that may be longer, each with the reason.
var long = map[string]string{}

// maxFiles is the number of Go files of a folder, without tests, at which it should be split.
const maxFiles = 30

// crowded are the folders that still have more, each with the reason.
var crowded = map[string]string{
	"pipe":   "to be split",
	"source": "to be split",
}
