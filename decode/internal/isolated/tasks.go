package isolated

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/helper"
)

// Tasks is what decode.HelperTasks holds.
type Tasks = helper.Tasks[decode.Medium, *decode.Decoder]

// HelperTasks returns the tasks of a medium as users see them.
func HelperTasks(m decode.Medium, start func(*decode.Decoder) (helper.Handler, error)) (t decode.HelperTasks) {
	*TasksOf(&t) = Tasks{Medium: m, Start: start}
	return t
}

// TasksOf returns what t holds.
func TasksOf(t *decode.HelperTasks) *Tasks { return helper.TasksOf[decode.Medium, *decode.Decoder](t) }

// Do has a helper do a task of a medium.
func Do(ctx context.Context, p *helper.Pool, m decode.Medium, t helper.Task) error {
	t.Topic = string(m)
	return p.Do(ctx, t)
}

// Serve does the tasks of these media, until the process that started this one ends or closes its decoder.
func Serve(media ...decode.HelperTasks) error {
	return helper.Serve(func(setup json.RawMessage) (helper.Handler, error) { return Start(setup, media...) })
}

// Start makes the handler of a helper process. setup is decode.Limits.
func Start(setup json.RawMessage, media ...decode.HelperTasks) (helper.Handler, error) {
	var limits decode.Limits
	if err := json.Unmarshal(setup, &limits); err != nil {
		return nil, err
	}
	shared, err := decode.New(decode.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	handlers := map[decode.Medium]helper.Handler{}
	for i := range media {
		m := TasksOf(&media[i])
		if handlers[m.Medium], err = m.Start(shared); err != nil {
			return nil, err
		}
	}
	return func(c *helper.Call) (any, error) {
		do := handlers[decode.Medium(c.Topic)]
		if do == nil {
			return nil, fmt.Errorf("%w: the helper does not decode %s: its program must give isolate.Main the tasks of %s",
				spool.ErrOptions, c.Topic, c.Topic)
		}
		return do(c)
	}, nil
}

// Untrue is the error for a reply that a helper in good order does not send.
func Untrue(format string, a ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrCrashed, Text: "the helper's reply is wrong: " +
		fmt.Sprintf(format, a...)}
}
