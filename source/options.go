package source

import (
	"slices"
	"strings"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source/predicate"
	"github.com/spoolmedia/spool/source/table"
)

// Options select what is listed. The zero value lists images.
type Options struct {
	// Medium selects the files of folders that are loaded, by their extensions.
	Medium Medium
	// Extensions, if not empty, replace those of Medium. Each is a dot and letters; case is ignored.
	Extensions []string
	// AllowEmpty accepts class folders without files to load; they keep their label. By default they are an error, as in
	// ImageFolder, since they are mostly a mistake.
	AllowEmpty bool
	// Unpacked limits the bytes of decompressed shards, and of media in manifests, that are kept in memory. It also limits
	// the size of each of them. 0 means 1 GiB.
	Unpacked int64
	// Indexes is the folder of saved shard indexes: see SaveShardIndex. Empty means the folder of each shard.
	Indexes string
	// Path, Label and Key name the columns of manifests that hold these. Empty means the usual names: see Manifest.
	Path, Label, Key string
	// Labels, if not nil, are the labels of the arguments of Open, or -1 for none. Each argument must then be one file.
	Labels []int64
	// Ignore names columns of manifests, and extensions of members of shards, that are neither used nor reported by
	// Notices. "*" suppresses the notices of all unused ones. Optional inputs that do not exist are not reported if they
	// are among the names.
	Ignore []string
	// Formats adds formats of manifests, by extension in lower case: {".parquet": parquet.Open}.
	Formats map[string]table.Format
	// Sets adds formats of data sets, by the name of their index: {"index.json": chunked.Set()}. The index, or its folder,
	// is read as a manifest.
	Sets map[string]table.Set
	// Segments makes rows of tables that OpenRecords lists parts of files, by the columns of times that are no inputs, as
	// those that Open lists are: see Manifest. Without it, such columns are an error, unless Medium is Images.
	Segments bool
	// Where selects rows of tables by their columns, before anything else is read of their samples: "width >= 256 and lang
	// == 'en'". Package predicate has the language. The other rows are as if the table did not have them: IDs are
	// positions among the selected rows. Arguments that are no tables are then an error. Skipped counts the rows that are
	// left out, and Selection identifies the others.
	Where string
	// WhereRow, if not nil, selects rows as Where does, of those that Where selects. It is called in order, once for each
	// row. An error of it is the error of the listing.
	WhereRow func(Row) (bool, error)
	// Remote, if not nil, opens names that are URLs and not paths. A URL is accepted as an argument, in lists and in
	// manifests.
	Remote Remote
}

func (o Options) validate() error {
	var bad invalid.Options
	if int(o.Medium) >= len(extensions) {
		bad.Value("Medium", int(o.Medium), "no such medium")
	}
	if o.Unpacked < 0 {
		bad.Value("Unpacked", o.Unpacked, "must not be negative")
	}
	for _, e := range o.Extensions {
		if len(e) < 2 || strings.LastIndexAny(e, "./") != 0 || e[0] != '.' {
			bad.Values(invalid.Named("Extensions"), "%q must have the form .jpg", e)
		}
	}
	if slices.ContainsFunc(o.Labels, func(label int64) bool { return label < -1 }) {
		bad.Value("Labels", slices.Min(o.Labels), "must be at least -1, which is no label")
	}
	if o.Where != "" {
		if _, err := predicate.Parse(o.Where); err != nil {
			bad.Value("Where", o.Where, "%v", err)
		}
	}
	return bad.Err()
}

// wanted returns the extensions to load, in lower case.
func (o Options) wanted() []string {
	if len(o.Extensions) == 0 {
		return extensions[o.Medium]
	}
	wanted := make([]string, len(o.Extensions))
	for i, e := range o.Extensions {
		wanted[i] = strings.ToLower(e)
	}
	return wanted
}

// what names the files to load, for messages.
func (o Options) what() string {
	if len(o.Extensions) == 0 {
		return o.Medium.String()
	}
	return "files ending in " + strings.Join(o.wanted(), " ")
}
