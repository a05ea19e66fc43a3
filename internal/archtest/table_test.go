package archtest

// rule is what the packages at a path may import, besides the standard library.
type rule struct {
	path   string   // within the module, "." for the root; "cbridge/*" is everything below cbridge without a rule of its own
	ours   []string // packages of this module, written as paths are; "*" is any
	theirs []string // modules of others, besides golang.org/x; tests may use testify everywhere
	alone  bool     // the standard library only, and nothing in ours
	pure   bool     // builds without cgo
	calls  bool     // calls C
	why    string
}

// table says who imports whom. Dependencies point one way: checkTable refuses a table with a circle.
// Everybody but those who stand alone may import internal packages.
var table = []rule{
	{path: ".", pure: true,
		why: "the words that all packages share: whoever imports them gets nothing else with them"},
	{path: "internal/*", alone: true, pure: true,
		why: "every package may use it, so what it checks is handed to it"},

	{path: "internal/stoptest", ours: []string{"internal/timing"}, pure: true,
		why: "limits of time are checked on request"},
	{path: "internal/ranges", ours: []string{"."}, pure: true,
		why: "what reads objects in parts, for sources and for decoders"},
	{path: "internal/settings", ours: []string{".", "resize", "decode", "decode/index", "batch", "order", "source", "source/object", "source/parquet", "source/cache", "loader"},
		why: "the words of the command and of the C interface, which make loaders of them"},

	{path: "internal/tally", ours: []string{".", "decode", "batch", "pipe", "source/object", "loader", "source/cache"},
		why: "what the command and the C interface report of a loader"},
	{path: "internal/probed", ours: []string{".", "decode", "cbridge/av"},
		why: "what the command and the C interface say of a file"},
	{path: "internal/checkup", ours: []string{".", "decode", "transfer", "source", "source/object", "internal/settings", "cbridge/*"},
		why: "what the command and the C interface say of the machine, and of the libraries that are found"},

	{path: "internal/lanetest", ours: []string{".", "cbridge/call", "cbridge/kernel"}, theirs: []string{"github.com/stretchr/testify"},
		why: "one suite for all lanes of pictures, which decodes to the kernels' sinks"},
	{path: "internal/s3test", theirs: []string{"github.com/minio/minio-go", "github.com/stretchr/testify"}, pure: true,
		why: "tests of several packages need a real server of S3"},

	{path: "order", alone: true, pure: true,
		why: "which sample comes when is arithmetic, of use without the rest"},
	{path: "pipe", alone: true, pure: true,
		why: "stages know nothing of media; both meet in function types"},
	{path: "batch", ours: []string{"."}, pure: true,
		why: "decoders are handed slots; batch never looks at what is in them"},
	{path: "source/shard", ours: []string{"."}, theirs: []string{"github.com/klauspost/compress"}, pure: true,
		why: "tar files are of use without folders and lists, and need zstd"},
	{path: "source/npy", ours: []string{"."}, theirs: []string{"github.com/klauspost/compress"}, pure: true,
		why: "arrays are of use without the rest, and inflating them takes most of the time"},
	{path: "source/parquet", ours: []string{".", "source", "source/shard"}, theirs: []string{"github.com/parquet-go/parquet-go", "github.com/klauspost/compress"}, pure: true,
		why: "whoever has no Parquet files pays for none"},
	{path: "source/object", ours: []string{".", "source"}, theirs: []string{"github.com/minio/minio-go", "github.com/minio/crc64nvme"}, pure: true,
		why: "whoever reads local files pays for no network client"},
	{path: "source/cache", ours: []string{".", "source"}, pure: true,
		why: "what is kept on a disk is bytes: of objects, or what a loader made of them"},
	{path: "source", ours: []string{".", "order", "source/shard"}, theirs: []string{"github.com/google/renameio", "mvdan.cc/sh"}, pure: true,
		why: "where bytes come from is apart from what they mean"},
	{path: "resize", ours: []string{".", "order"}, pure: true,
		why: "geometry is planned in Go; the kernels that run a plan are reached by decode"},

	{path: "cbridge/mem", ours: []string{"."}, calls: true,
		why: "the lowest part of the C side"},
	{path: "cbridge/call", ours: []string{".", "cbridge/mem"}, calls: true,
		why: "every call into C goes through it, so it knows none of the libraries"},
	{path: "cbridge/av", ours: []string{".", "cbridge/mem", "cbridge/call"}, theirs: []string{"github.com/asticode/go-astiav"}, calls: true,
		why: "the one place that depends on an FFmpeg release"},
	{path: "cbridge/cuda/fake", calls: true,
		why: "a driver for tests knows nothing of what is tested with it"},
	{path: "cbridge/av/fake", ours: []string{"cbridge/cuda/fake"}, calls: true,
		why: "the driver for tests, as FFmpeg looks for it"},
	{path: "cbridge/nvjpeg/fake", ours: []string{"cbridge/cuda/fake"}, calls: true,
		why: "writes into the memory of the driver for tests"},
	{path: "cbridge/cuda/kernels", ours: []string{".", "cbridge/cuda", "cbridge/kernel"}, calls: true,
		why: "a device converts video with the host's coefficients"},
	{path: "cbridge/floor", ours: []string{".", "cbridge/png"}, calls: true,
		why: "bare libraries, and the filters of the lane behind libdeflate"},
	{path: "cbridge/floor/*", ours: []string{".", "cbridge/vips", "cbridge/resample", "cbridge/cuda"}, calls: true,
		why: "bare libraries, told what to do in the words of the lanes"},
	{path: "cbridge/*", ours: []string{".", "cbridge/mem", "cbridge/call"}, calls: true,
		why: "one folder a library; libraries meet in decode, through sink.h"},

	{path: "decode/wav", ours: []string{"."}, pure: true,
		why: "WAV is plain enough for Go, and of use without FFmpeg"},
	{path: "decode/index", ours: []string{"."}, pure: true,
		why: "what a table of packets says needs no decoder"},
	{path: "decode", ours: []string{".", "resize", "decode/wav", "decode/index", "cbridge/*"}, theirs: []string{"github.com/google/renameio"},
		why: "puts libraries and kernels together, and leaves order and batches to others"},
	{path: "encode", ours: []string{".", "resize", "decode", "cbridge/*"},
		why: "the counterpart of decode, whose inputs it writes to other containers"},
	{path: "transfer", ours: []string{".", "batch", "cbridge/mem", "cbridge/call", "cbridge/cuda", "cbridge/cuda/kernels", "cbridge/dlpack", "cbridge/kernel"},
		why: "moves batches to devices, whatever is in them"},
	{path: "loader", ours: []string{".", "decode", "decode/index", "resize", "batch", "order", "pipe", "source", "source/cache", "transfer"},
		why: "composes the whole road, and reaches C through decode and transfer only"},

	{path: "cmd/spool/internal/output", ours: []string{"."}, pure: true,
		why: "where commands write knows none of them"},
	{path: "cmd/spool/internal/cli", ours: []string{".", "pipe", "internal/settings", "internal/checkup", "cmd/spool/internal/output"},
		theirs: []string{"github.com/spf13/cobra"},
		why:    "flags and exit codes are the same for all commands, so it knows none of them"},
	{path: "cmd/spool/internal/chart", ours: []string{"cmd/spool/internal/cli", "cmd/spool/internal/output"}, theirs: []string{"gonum.org/v1/plot"},
		why: "what is drawn is handed to it"},
	{path: "cmd/spool/internal/inputs", ours: []string{".", "decode", "source", "source/object"},
		why: "files are opened the same way for all commands"},
	{path: "cmd/spool/internal/failures", ours: []string{".", "pipe", "cmd/spool/internal/cli", "cmd/spool/internal/output"},
		why: "a run and a replay of it tell the same of bad samples"},
	{path: "cmd/spool/internal/page", theirs: []string{"gonum.org/v1/plot"},
		ours: []string{".", "pipe", "source", "source/object", "resize", "decode", "encode", "loader", "cmd/spool/internal/chart",
			"cmd/spool/internal/cli", "cmd/spool/internal/inputs", "cmd/spool/internal/output"},
		why: "a page shows what it is handed of a run"},
	{path: "cmd/spool/internal/clitest", theirs: []string{"github.com/spf13/cobra", "github.com/stretchr/testify"},
		ours: []string{".", "pipe", "cbridge/mem", "cbridge/vips", "cmd/spool/internal/cli"},
		why:  "tests hand it the commands that they call"},
	{path: "cmd/*", ours: []string{"*"}, theirs: []string{"github.com/google/renameio", "github.com/spf13/cobra", "github.com/spf13/pflag", "gonum.org/v1/plot"},
		why: "commands are at the top, and only they pay for a command line library, and for charts"},
	{path: "capi", ours: []string{"*"}, calls: true,
		why: "the C interface is at the top"},
	{path: "bench", ours: []string{"*"},
		why: "measures everything, used by nobody"},
	{path: "bench/*", ours: []string{"*"}, theirs: []string{"gonum.org/v1/plot"},
		why: "measures everything, used by nobody"},
}

// maxLines is where a file has more than one noun in it.
const maxLines = 600

// long are the files that may be longer, each with the reason.
var long = map[string]string{}
