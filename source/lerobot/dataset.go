package lerobot

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/table"
)

// Options select what is loaded. The zero value loads each row by itself.
type Options struct {
	// Episodes are the numbers of the episodes to load, in any order; rows keep the order of the data set. nil means all.
	Episodes []int
	// DeltaTimestamps are the times of a feature's window, in seconds relative to the sample's row, by the feature's
	// name. They must be multiples of 1/fps.
	DeltaTimestamps map[string][]float64
	// Tolerance is the largest distance in seconds of delta timestamps from multiples of 1/fps, and of timestamps from
	// the times of frames. 0 means 1e-4, as in LeRobot.
	Tolerance float64
	// Memory limits the bytes of columns that are kept in memory, and the size of one. 0 means 1 GiB.
	Memory int64
	// Remote, if not nil, opens a root that is a URL.
	Remote source.Remote
}

// Defaults of Options.
const (
	defaultTolerance = 1e-4
	defaultMemory    = 1 << 30
)

// Validate reports all options that are invalid for any data set.
func (o Options) Validate() error {
	var bad invalid.Options
	if !(o.Tolerance >= 0) {
		bad.Value("Tolerance", o.Tolerance, "must not be negative")
	}
	if o.Memory < 0 {
		bad.Value("Memory", o.Memory, "must not be negative")
	}
	if o.Episodes != nil && len(o.Episodes) == 0 {
		bad.Values(invalid.Named("Episodes"), "the list is empty")
	}
	return bad.Err()
}

// DataSet is the metadata of a data set, and a cache of its columns.
type DataSet struct {
	folder    folder
	info      Info
	options   Options
	cameras   []string // features of videos
	words     []words
	episodes  []episode
	files     map[place]span // rows of each data file
	chosen    []int          // numbers of episodes
	ends      []int          // of each of chosen: the samples up to its end
	offsets   map[string][]int
	cache     *table.Cache
	tolerance float64
}

// Open reads the metadata of a data set in a local folder, or below a URL. Errors are ErrOptions for options that do
// not fit the data set, or those of a file.
func Open(ctx context.Context, root string, o Options) (*DataSet, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d := &DataSet{folder: newFolder(root, o), options: o, tolerance: cmp.Or(o.Tolerance, defaultTolerance),
		cache: table.NewCache(cmp.Or(o.Memory, defaultMemory))}
	var err error
	if d.info, err = readInfo(ctx, d.folder); err != nil {
		return nil, d.folder.inFile(infoFile, err)
	}
	for _, f := range d.info.Features {
		if f.Kind == Video {
			d.cameras = append(d.cameras, f.Name)
		}
	}
	if err := d.readEpisodes(ctx); err != nil {
		return nil, err
	}
	for _, w := range []words{tasks, subtasks} {
		if err := d.readWords(ctx, w); err != nil {
			return nil, err
		}
	}
	var bad invalid.Options
	d.choose(&bad)
	d.findOffsets(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if d.Len() == 0 {
		return nil, d.folder.inFile(episodesFolder, failed(spool.ErrEmpty, "the episodes have no frames"))
	}
	return d, nil
}

// choose finds the samples of the chosen episodes.
func (d *DataSet) choose(bad *invalid.Options) {
	if d.options.Episodes == nil {
		for i := range d.episodes {
			d.chosen = append(d.chosen, i)
		}
	} else {
		d.chosen = slices.Compact(slices.Sorted(slices.Values(d.options.Episodes)))
	}
	samples := 0
	for _, i := range d.chosen {
		if i < 0 || i >= len(d.episodes) {
			bad.Value("Episodes", i, "the data set has %d episodes, from 0", len(d.episodes))
			continue
		}
		samples += d.episodes[i].len()
		d.ends = append(d.ends, samples)
	}
}

func (d *DataSet) has(feature string) bool {
	_, ok := d.info.Feature(feature)
	return ok
}

// Info returns what meta/info.json says. Callers must not change it.
func (d *DataSet) Info() Info { return d.info }

// Tolerance returns the largest distance of a frame from its time, in seconds.
func (d *DataSet) Tolerance() float64 { return d.tolerance }

// Len returns the number of samples.
func (d *DataSet) Len() int {
	if len(d.ends) == 0 {
		return 0
	}
	return d.ends[len(d.ends)-1]
}

// Sizes returns the number of samples of each episode that is loaded.
func (d *DataSet) Sizes() []int {
	sizes := make([]int, len(d.chosen))
	for i, number := range d.chosen {
		sizes[i] = d.episodes[number].len()
	}
	return sizes
}

// row is a row of an episode.
type row struct {
	*episode
	frame int // from the beginning of the episode
}

// row returns the row of a sample.
func (d *DataSet) row(sample int) row {
	at := sort.SearchInts(d.ends, sample+1)
	e := &d.episodes[d.chosen[at]]
	return row{e, sample - (d.ends[at] - e.len())}
}

// time returns the time of a row within its episode.
func (d *DataSet) time(r row) float64 { return float64(r.frame) / d.info.FPS }
