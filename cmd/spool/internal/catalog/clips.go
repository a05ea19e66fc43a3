package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// clips is how videos are cut while they are packed: a sample for each window of a video.
type clips struct {
	loader.WindowOptions
}

func (c *clips) define(f *cli.Flags) {
	f.Add("windows", "S", "", "cut videos into clips of S seconds, each a sample, with --video-codec; opens all videos "+
		"first", func(text string) (err error) {
		if c.Seconds, err = strconv.ParseFloat(text, 64); err != nil || !(c.Seconds > 0 && c.Seconds < 1e9) {
			return fmt.Errorf("must be a number of seconds above 0")
		}
		return nil
	})
}

func (c *clips) judge(f *cli.Flags, sized bool) {
	if c.Seconds > 0 && !f.Given("video-codec") {
		f.Refuse("--windows needs --video-codec: a clip is encoded")
	}
	if c.Seconds > 0 && sized {
		f.Refuse("--windows excludes --shard-bytes: a clip has no size before it is encoded")
	}
}

// of returns the clips of a source, or the source. The first member that is a video is cut.
func (c *clips) of(ctx context.Context, src source.Listed, members []string) (source.Source, error) {
	if c.Seconds == 0 {
		return src, nil
	}
	c.Input = max(0, slices.IndexFunc(members, func(ext string) bool {
		return slices.Contains(source.Videos.Extensions(), "."+ext)
	}))
	return loader.Windows(ctx, src, c.WindowOptions)
}
