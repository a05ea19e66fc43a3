package object

import (
	"context"
	"encoding/base64"
	"errors"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/minio/crc64nvme"
	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// The limits of S3 for uploads in parts, and how many parts of an object are sent at a time.
const (
	leastPart    = 5 << 20
	mostParts    = 10_000
	partsAtATime = 4
)

// Create begins to write an object of an S3 bucket. Small objects are sent by one request, others in parts of
// Options.Part, at least 5 MiB, up to four at a time. Each request has a checksum (CRC64NVME), unless
// Options.Checksums is NoChecksums. Failed requests are repeated as those of reads are.
func (c *Client) Create(ctx context.Context, url string) (source.Upload, error) {
	h, key, err := c.find(url)
	if err == nil && !h.server.bucket {
		err = &spool.Error{Op: "write", File: spool.Redacted(url), Class: spool.ErrUnsupported,
			Text: "only objects of S3 buckets can be written"}
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(partsAtATime)
	return &upload{host: h, url: url, key: key, ctx: ctx, stop: stop, group: group, running: running,
		whole: crc64nvme.New(), free: make(chan []byte, partsAtATime+1)}, nil
}

// AbortUploads discards uploads in parts that were not committed. The error is spool.ErrPermission or
// spool.ErrUnsupported if the store does not list them.
func (c *Client) AbortUploads(ctx context.Context, prefix string, which func(url string) bool) error {
	h, key, err := c.find(prefix)
	if err != nil || !h.server.bucket {
		return err
	}
	store := prefix[:len(prefix)-len(key)]
	var after uploadsPage
	for more := true; more; more = after.IsTruncated {
		err := h.ask(ctx, func(ctx context.Context) (err error) {
			after, err = h.server.uploads(ctx, key, after)
			return err
		})
		if err != nil {
			return fail("list", prefix, err)
		}
		for _, u := range after.Upload {
			if !which(store + u.Key) {
				continue
			}
			err := h.ask(ctx, func(ctx context.Context) error { return h.server.abort(ctx, u.Key, u.UploadID) })
			if err != nil {
				return fail("write", store+u.Key, err)
			}
		}
	}
	return nil
}

// upload is an object while it is written.
type upload struct {
	host     *host
	url, key string
	ctx      context.Context
	stop     context.CancelFunc
	group    *errgroup.Group // of the parts
	running  context.Context // ends with the first part that fails

	id     string // of an upload in parts, from its second part on
	parts  []*sentPart
	buffer []byte // the part that is being filled
	free   chan []byte
	whole  hash.Hash
	done   bool
}

// Write takes bytes, and sends parts that are full.
func (u *upload) Write(p []byte) (n int, err error) {
	u.whole.Write(p)
	for n < len(p) {
		if len(u.buffer) == u.part() {
			if err := u.send(); err != nil {
				return n, err
			}
		}
		if u.buffer == nil {
			u.buffer = u.memory()
		}
		m := min(u.part()-len(u.buffer), len(p)-n)
		u.buffer = append(u.buffer, p[n:n+m]...)
		n += m
	}
	return n, nil
}

// part returns the bytes of the next part. Later ones are larger, or the most parts would not hold a large object.
func (u *upload) part() int {
	return max(u.host.options.Part, leastPart) << (len(u.parts) * 4 / mostParts)
}

// memory returns the memory of a part.
func (u *upload) memory() []byte {
	select {
	case b := <-u.free:
		return b[:0]
	default:
		return nil
	}
}

// send sends the part, and waits while too many others are in flight.
func (u *upload) send() error {
	if u.id == "" {
		err := u.host.ask(u.ctx, func(ctx context.Context) (err error) {
			u.id, err = u.host.server.begin(ctx, u.key)
			return err
		})
		if err != nil {
			return u.failed(err)
		}
	}
	part, data := &sentPart{PartNumber: len(u.parts) + 1}, u.buffer
	u.parts, u.buffer = append(u.parts, part), nil
	u.group.Go(func() error {
		err := u.host.write(u.running, data, func(ctx context.Context, c *content) error {
			return u.host.server.part(ctx, u.key, u.id, part, c)
		})
		u.free <- data
		return err
	})
	if u.running.Err() != nil {
		return u.failed(u.group.Wait())
	}
	return nil
}

// failed returns the error of the upload. Of several, it is the first.
func (u *upload) failed(err error) error {
	var lost *serverError
	if errors.As(err, &lost) && lost.code == "NoSuchUpload" {
		return &spool.Error{Op: "write", File: spool.Redacted(u.url), Class: spool.ErrIO, Err: err,
			Text: "another process has aborted this upload"}
	}
	return fail("write", u.url, err)
}

// Commit waits for the parts, and makes them an object.
func (u *upload) Commit() error {
	sum := base64.StdEncoding.EncodeToString(u.whole.Sum(nil))
	var err error
	if u.id == "" {
		err = u.host.write(u.ctx, u.buffer, func(ctx context.Context, c *content) error {
			return u.host.server.put(ctx, u.key, c)
		})
	} else {
		if err := u.send(); err != nil {
			return err
		}
		if err := u.group.Wait(); err != nil {
			return u.failed(err)
		}
		err = u.complete(sum)
	}
	if err != nil {
		return u.failed(err)
	}
	u.done = true
	u.stop()
	return nil
}

// completeTime is how long a server may take to join the parts of an object.
const completeTime = 5 * time.Minute

// complete makes the parts an object. If the answer was lost, the upload is gone, and the object is there.
func (u *upload) complete(sum string) error {
	err := u.host.retry(u.ctx, func() (bool, error) {
		ctx, stop := context.WithTimeoutCause(u.ctx, completeTime, errStalled)
		defer stop()
		u.host.requests.Add(1)
		return false, stalled(ctx, u.host.server.complete(ctx, u.key, u.id, u.parts, sum))
	})
	var lost *serverError
	if errors.As(err, &lost) && lost.code == "NoSuchUpload" {
		there := u.host.ask(u.ctx, func(ctx context.Context) error {
			_, err := u.host.server.stat(ctx, u.key)
			return err
		})
		if there == nil {
			return exists{}
		}
	}
	return err
}

// Discard ends the upload, and forgets its parts.
func (u *upload) Discard() {
	if u.done {
		return
	}
	u.done = true
	u.stop()
	_ = u.group.Wait() // the caller has an error, or wants none
	if u.id == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(u.ctx), u.host.options.Timeout)
	defer stop()
	_ = u.host.once(ctx, func(ctx context.Context) error { return u.host.server.abort(ctx, u.key, u.id) })
}

// exists is the error of a write to an object that exists.
type exists struct{}

func (exists) Error() string        { return "there is an object of this name" }
func (exists) Is(target error) bool { return target == fs.ErrExist }

// content is the body of a request.
type content struct {
	bytes []byte
	sent  func()         // called when some of it is taken
	open  sync.WaitGroup // readers, which the transport may close after the answer
}

// reader returns a reader of the body from its beginning.
func (c *content) reader() (io.ReadCloser, error) {
	c.open.Add(1)
	return &contentReader{content: c}, nil
}

type contentReader struct {
	*content
	at     int
	closed sync.Once
}

func (r *contentReader) Read(p []byte) (int, error) {
	r.sent()
	if r.at == len(r.bytes) {
		return 0, io.EOF
	}
	n := copy(p, r.bytes[r.at:])
	r.at += n
	return n, nil
}

func (r *contentReader) Close() error {
	r.closed.Do(r.open.Done)
	return nil
}

const crcHeader = "X-Amz-Checksum-Crc64nvme"

// header returns the header with the checksum of the body.
func (c *content) header(sums Checksums) http.Header {
	h := http.Header{}
	if sums != NoChecksums {
		sum := crc64nvme.New()
		sum.Write(c.bytes)
		h.Set(crcHeader, base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	}
	return h
}
