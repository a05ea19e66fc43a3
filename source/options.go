package source

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spoolmedia/spool"
)

// Options say what is looked for in folders. The zero value looks for pictures.
type Options struct {
	// Kind is which files are loaded, by their extensions.
	Kind Kind
	// Extensions, if any, replace Kind's: each is a dot and letters, upper and lower case are the same.
	Extensions []string
	// AllowEmpty accepts class folders without any file to load; they keep their label. The default refuses
	// them, as ImageFolder does: mostly they are a mistake.
	AllowEmpty bool
	// Unpacked is how many bytes of decompressed shards, and of media in manifests, are kept in memory, and so the most that
	// one may have. 0 means 1 GiB.
	Unpacked int64
	// Indexes is the folder in which saved indexes of shards are looked for: see SaveShardIndex. Empty means beside them.
	Indexes string
	// Path, Label and Key are the columns of manifests that hold these. Empty means the usual names: see Manifest.
	Path, Label, Key string
	// Ignore are columns of manifests, and extensions of members of shards, that are not to be used, and of which nothing is
	// said. "*" is all that would not be used.
	Ignore []string
	// Formats are further kinds of manifests, by extension in lower case: {".parquet": parquet.Open}.
	Formats map[string]Format
	// Remote, if not nil, opens what is named by addresses and not by paths, wherever a name may stand: as an argument, in
	// lists, in manifests.
	Remote Remote
}

func (o Options) validate() error {
	var wrong []error
	if int(o.Kind) >= len(extensions) {
		wrong = append(wrong, fmt.Errorf("%w: unknown kind %d", spool.ErrOptions, o.Kind))
	}
	if o.Unpacked < 0 {
		wrong = append(wrong, fmt.Errorf("%w: %d bytes of unpacked shards", spool.ErrOptions, o.Unpacked))
	}
	for _, e := range o.Extensions {
		if len(e) < 2 || strings.LastIndexAny(e, "./") != 0 || e[0] != '.' {
			wrong = append(wrong, fmt.Errorf("%w: extension %q is not of the form .jpg", spool.ErrOptions, e))
		}
	}
	return errors.Join(wrong...)
}

// wanted are the extensions looked for, in lower case.
func (o Options) wanted() []string {
	if len(o.Extensions) == 0 {
		return extensions[o.Kind]
	}
	wanted := make([]string, len(o.Extensions))
	for i, e := range o.Extensions {
		wanted[i] = strings.ToLower(e)
	}
	return wanted
}

// what names the files looked for.
func (o Options) what() string {
	if len(o.Extensions) == 0 {
		return o.Kind.String()
	}
	return "files ending in " + strings.Join(o.wanted(), " ")
}
