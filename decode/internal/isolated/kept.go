package isolated

import (
	"context"
	"encoding/json"
	"io"
	"math"
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

// Of returns the object of a task, and the task.
func (k *Kept[T]) Of(c *helper.Call) (current T, task json.RawMessage, err error) {
	var none T
	var r request
	if err := json.Unmarshal(c.Head, &r); err != nil {
		return none, nil, err
	}
	if r.Session == k.session {
		k.object.call = c
		return k.current, r.Task, nil
	}
	if k.session != 0 {
		_ = k.current.Close() // read only
		k.session, k.current = 0, none
	}
	var o opening
	if err := c.Ask(question{Open: true}, &o); err != nil {
		return none, nil, err
	}
	table := slices.Clone(c.Room[:o.Table])
	k.object = &object{call: c, info: spool.ObjectInfo{Size: o.Size, Version: Version}}
	if k.current, err = k.Open(k.object, o.Far, o.Options, table); err != nil {
		k.current = none
		return none, nil, err
	}
	k.session = r.Session
	return k.current, r.Task, nil
}

// Version is the version of all objects in a helper.
const Version = "in a helper"

// object is the object of a session. It reads by asking the process that has it.
type object struct {
	mu   sync.Mutex
	call *helper.Call // the current task
	info spool.ObjectInfo
}

// mostRead bounds one read, and so the memory that reads use.
const mostRead = 1 << 20

func (o *object) ReadAt(_ context.Context, p []byte, off int64) (done int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for done < len(p) {
		if off > math.MaxInt64-int64(done) {
			return done, io.EOF
		}
		var got read
		want := min(len(p)-done, mostRead, len(o.call.Room))
		if err := o.call.Ask(question{Offset: off + int64(done), Bytes: want}, &got); err != nil {
			return done, &spool.Error{Op: "read", Class: spool.ErrIO, Err: err}
		}
		n := copy(p[done:done+want], o.call.Room[:min(got.Bytes, want)])
		done += n
		if got.End || n == 0 {
			return done, io.EOF
		}
	}
	return done, nil
}

func (o *object) Info() spool.ObjectInfo { return o.info }

// Close does nothing: the object is lent.
func (o *object) Close() error { return nil }
