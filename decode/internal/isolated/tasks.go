package isolated

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/helper"
)

// Tasks is what a helper process does for a medium.
type Tasks struct {
	Medium decode.Medium
	// Start makes the handler, with the memory of d. It does what needs files: afterwards the process opens none.
	Start func(d *decode.Decoder) (helper.Handler, error)
}

// head is the head of all tasks.
type head struct {
	Medium decode.Medium
	Task   json.RawMessage
}

// Do has a helper do a task of a medium.
func Do(ctx context.Context, p *helper.Pool, m decode.Medium, t helper.Task) error {
	task, err := json.Marshal(t.Head)
	if err != nil {
		return fmt.Errorf("%w: %w", spool.ErrInternal, err)
	}
	t.Head = head{m, task}
	return p.Do(ctx, t)
}

// Serve does the tasks of these media, until the process that started this one ends or closes its decoder.
func Serve(media ...Tasks) error {
	return helper.Serve(func(setup json.RawMessage) (helper.Handler, error) { return Start(setup, media...) })
}

// Start makes the handler of a helper process. setup is decode.Limits.
func Start(setup json.RawMessage, media ...Tasks) (helper.Handler, error) {
	var limits decode.Limits
	if err := json.Unmarshal(setup, &limits); err != nil {
		return nil, err
	}
	shared, err := decode.New(decode.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	handlers := map[decode.Medium]helper.Handler{}
	for _, m := range media {
		if handlers[m.Medium], err = m.Start(shared); err != nil {
			return nil, err
		}
	}
	return func(c *helper.Call) (any, error) {
		var h head
		if err := json.Unmarshal(c.Head, &h); err != nil {
			return nil, err
		}
		do := handlers[h.Medium]
		if do == nil {
			return nil, fmt.Errorf("%w: the helper does not decode %s: its program must give isolate.Main the tasks of %s",
				spool.ErrOptions, h.Medium, h.Medium)
		}
		c.Head = h.Task
		return do(c)
	}, nil
}

// Untrue is the error for a reply that a helper in good order does not send.
func Untrue(format string, a ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrCrashed, Text: "the helper's reply is wrong: " +
		fmt.Sprintf(format, a...)}
}
