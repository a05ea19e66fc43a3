package isolated

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
)

// Kept is the object that a helper has open: that of the last session it had a task of.
type Kept[T io.Closer] struct {
	// Open opens an object with what Session's open function gave. far says that reads take long.
	Open func(object spool.Object, far bool, options json.RawMessage, table []byte) (T, error)

	session uint64 // 0 for none
	object  *object
	current T
}

// Of returns the object of a task's session.
func (k *Kept[T]) Of(c *helper.Call) (current T, err error) {
	var none T
	if c.Session == k.session {
		k.object.use(c)
		return k.current, nil
	}
	if k.session != 0 {
		_ = k.current.Close() // read only
		k.session, k.current = 0, none
	}
	var o opening
	if err := c.Ask(question{Open: true}, &o); err != nil {
		return none, err
	}
	table := slices.Clone(c.Room[:o.Table])
	k.object = &object{call: c, info: spool.ObjectInfo{Size: o.Size, Version: Version}, far: o.Far}
	if k.current, err = k.Open(k.object, o.Far, o.Options, table); err != nil {
		k.current = none
		return none, err
	}
	k.session = c.Session
	return k.current, nil
}

// Version is the version of all objects in a helper.
const Version = "in a helper"

// object is the object of a session. It reads by asking the process that has it. What was asked for stays in the room
// until the next question, and serves the reads that follow.
type object struct {
	mu         sync.Mutex
	call       *helper.Call // the current task
	info       spool.ObjectInfo
	far        bool
	begin, end int64 // the bytes in the room
	last       bool  // end is the object's
}

// Sequential reads ask for more than they need, which costs less than a question for each. Reads that take long do not.
const (
	mostRead  = 1 << 20
	readAhead = 256 << 10
)

// use makes the object read for a task.
func (o *object) use(c *helper.Call) { o.call, o.begin, o.end, o.last = c, 0, 0, false }

func (o *object) ReadAt(_ context.Context, p []byte, off int64) (done int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for done < len(p) {
		at := off + int64(done)
		if at < o.begin || at >= o.end {
			if at == o.end && o.last {
				return done, io.EOF
			}
			if err := o.ask(at, len(p)-done); err != nil {
				return done, err
			}
			if o.begin == o.end {
				return done, io.EOF
			}
		}
		done += copy(p[done:], o.call.Room[at-o.begin:o.end-o.begin])
	}
	return done, nil
}

// ask reads into the room.
func (o *object) ask(at int64, n int) error {
	if at == o.end && at > 0 && !o.far {
		n = max(n, readAhead)
	}
	n = min(n, mostRead, len(o.call.Room))
	var got read
	o.begin, o.end, o.last = 0, 0, false
	if err := o.call.Ask(question{Offset: at, Bytes: n}, &got); err != nil {
		return &spool.Error{Op: "read", Class: spool.ErrIO, Err: err}
	}
	o.begin, o.end, o.last = at, at+int64(min(got.Bytes, n)), got.End
	return nil
}

func (o *object) Info() spool.ObjectInfo { return o.info }

// Close does nothing: the object is lent.
func (o *object) Close() error { return nil }
