package isolated

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/helper"
)

// Session is an object that helpers decode. It is for one goroutine at a time.
type Session struct {
	pool   *helper.Pool
	medium decode.Medium
	id     uint64
	object spool.Object
	info   spool.ObjectInfo
	source []byte // which bytes these are, for the quarantine
	// open gives what a helper opens the object with: a value that is sent as JSON, and a table, which may be long.
	open func() (options any, table []byte, err error)
}

// NewSession makes the session of an object, which is lent for the session's life. info and version are the object's.
func NewSession(p *helper.Pool, m decode.Medium, object spool.Object, info spool.ObjectInfo, version string,
	open func() (options any, table []byte, err error)) *Session {
	s := &Session{pool: p, medium: m, id: p.NewSession(), object: object, info: info, open: open}
	switch {
	case info.Identity != "":
		s.source = []byte(info.Identity)
	case version != "":
		s.source = fmt.Appendf(nil, "%d bytes, %s", info.Size, version)
	default: // unknown: only this session is refused
		s.source = fmt.Appendf(nil, "session %d", s.id)
	}
	return s
}

// question is what a helper asks for: bytes of the object, or how to open it.
type question struct {
	Open   bool
	Offset int64
	Bytes  int
}

// read is the answer to a question for bytes.
type read struct {
	Bytes int
	End   bool // there are no more
}

// opening is the answer to a question for how to open the object.
type opening struct {
	Size    int64
	Far     bool // each read is a request to a server
	Table   int  // bytes
	Options json.RawMessage
}

// Do has a helper do a task. parts is the number of parts of the result that take time: a helper may take the
// processor time of limit.Extra besides decode.Isolation.CPU. use gets the reply, which is not trusted, and the memory
// of the output.
func (s *Session) Do(ctx context.Context, task any, parts int,
	use func(reply json.RawMessage, output []byte) error) error {
	return Do(ctx, s.pool, s.medium, helper.Task{Head: task, Source: s.source, Session: s.id,
		Extra:  limit.Extra(parts, s.info.Size),
		Answer: func(text json.RawMessage, room []byte) (any, error) { return s.answer(ctx, text, room) }, Use: use})
}

// answer answers a question of a helper.
func (s *Session) answer(ctx context.Context, text json.RawMessage, room []byte) (any, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil || q.Offset < 0 || q.Bytes < 0 || q.Bytes > len(room) {
		return nil, Untrue("a question for %d bytes at %d, %v", q.Bytes, q.Offset, err)
	}
	if !q.Open {
		n, err := s.object.ReadAt(ctx, room[:q.Bytes], q.Offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return read{n, err != nil}, nil
	}
	options, table, err := s.open()
	if err != nil {
		return nil, err
	}
	if len(table) > len(room) {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("an index of %d bytes, a helper takes %d", len(table), len(room))}
	}
	o := opening{Size: s.info.Size, Far: s.info.Remote, Table: copy(room, table)}
	if o.Options, err = json.Marshal(options); err != nil {
		return nil, fmt.Errorf("%w: %w", spool.ErrInternal, err)
	}
	return o, nil
}
