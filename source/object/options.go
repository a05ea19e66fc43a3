package object

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spoolmedia/spool"
)

// Options are how a client asks. The zero value is meant for stores far away that many share.
type Options struct {
	// InFlight is the number of requests at a time, to one bucket or host, that it begins with, and MaxInFlight the most that
	// it may find to pay. 0 means 64, and 512.
	InFlight, MaxInFlight int
	// Part is the most bytes that one request asks for: more are asked for side by side. 0 means 8 MiB.
	Part int
	// ReadAhead is the most bytes kept of objects that are read a little at a time, for all of them together: see Object.ReadAt.
	// 0 means 64 MiB; negative keeps none, and asks for each read as it is.
	ReadAhead int64
	// Timeout is how long a server may send nothing, before and within an answer. 0 means 20 s.
	Timeout time.Duration
	// Patience is how long one read is tried again while what fails may go away. 0 means 1 minute. It is 10 s at most with a
	// store that has never answered.
	Patience time.Duration
	// HedgeShare is the share of requests that may be sent twice because the answer is late. 0 means 0.05; negative
	// sends none twice.
	HedgeShare float64

	// Checksums are what is verified of objects that are read whole in one request, where the store tells it: CRCs, unless it
	// says otherwise. There are none of parts, and so of nothing that is longer than Part.
	Checksums Checksums

	// Endpoint is the address of an S3 server, in place of AWS_ENDPOINT_URL and AWS's own; Region that of its
	// buckets, in place of AWS_REGION. Without either it is us-east-1.
	Endpoint, Region string
	// Anonymous signs no requests, whatever credentials there are.
	Anonymous bool
	// Transport, if not nil, takes the place of the client's own connections.
	Transport http.RoundTripper
}

func (o Options) withDefaults() Options {
	o.MaxInFlight = cmp.Or(o.MaxInFlight, max(512, o.InFlight))
	o.InFlight = cmp.Or(o.InFlight, min(64, o.MaxInFlight))
	o.Part = cmp.Or(o.Part, 8<<20)
	o.ReadAhead = cmp.Or(o.ReadAhead, 64<<20)
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	o.Patience = cmp.Or(o.Patience, time.Minute)
	o.HedgeShare = cmp.Or(o.HedgeShare, 0.05)
	return o
}

// Validate reports all that is wrong with the options, as spool.ErrOptions.
func (o Options) Validate() error {
	var wrong []error
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if o.InFlight < 0 || o.MaxInFlight < 0 || (o.MaxInFlight > 0 && o.InFlight > o.MaxInFlight) {
		complain("%d requests in flight of at most %d", o.InFlight, o.MaxInFlight)
	}
	if o.Part < 0 {
		complain("parts of %d bytes", o.Part)
	}
	if o.Timeout < 0 || o.Patience < 0 {
		complain("a timeout of %v and a patience of %v", o.Timeout, o.Patience)
	}
	if o.HedgeShare > 1 {
		complain("a share of %v of requests sent twice, at most 1", o.HedgeShare)
	}
	if o.Checksums > NoChecksums {
		complain("checksums of kind %d", o.Checksums)
	}
	if o.Endpoint != "" {
		if u, err := url.Parse(o.Endpoint); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			complain("the endpoint is no address of the form https://host")
		}
	}
	return errors.Join(wrong...)
}
