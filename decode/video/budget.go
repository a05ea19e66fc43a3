package video

import (
	"context"
	"time"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/internal/limit"
)

// enter begins a call within the budget of its request, see maxCPU.
func (v *Video) enter(ctx context.Context) (*call.Call, error) {
	return call.Enter(ctx, v.weight())
}

// enterAlone begins the only call of a request for at most so many frames.
func (v *Video) enterAlone(ctx context.Context, frames int) (*call.Call, error) {
	return call.EnterWithin(ctx, v.weight(), v.maxCPU(frames))
}

func (v *Video) weight() int64 { return int64(max(v.options.Threads, 1)) }

// maxCPU is the processor time of a request for at most so many frames.
func (v *Video) maxCPU(frames int) time.Duration {
	size := int64(-1)
	if v.in != nil {
		size = v.in.Info.Size
	}
	return limit.MediaCPU(v.decoder.limits, size, frames)
}
