package object

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Options are the settings of a client. The zero value suits remote stores that many clients share.
type Options struct {
	// InFlight is the number of requests in flight, to one bucket or host, that a client begins with. MaxInFlight is the
	// most to which it may tune that number. 0 means 64, and 512.
	InFlight, MaxInFlight int
	// Part is the most bytes of one request: larger reads are split into concurrent requests. 0 means 8 MiB.
	Part int
	// ReadAhead is the most memory for bytes that no reader has requested yet, for all objects together: blocks of small
	// and sequential reads (see Object.ReadAt), and what OpenParts has read. Reads do not wait for this memory. 0 means 64
	// MiB. A negative value disables it: each read is requested as it is.
	ReadAhead int64
	// Timeout is how long a server may send nothing, before and within an answer. 0 means 20 s.
	Timeout time.Duration
	// MinRate is the lowest accepted rate of an answer, in bytes a second on average over Timeout. A slower answer has
	// timed out, so that a server that sends a few bytes at a time cannot hold a worker. 0 means 1024. A negative value
	// accepts any rate.
	MinRate int
	// RetryTime is how long a read is retried after temporary failures. 0 means 1 minute. It is at most 10 s for a store
	// that has never answered.
	RetryTime time.Duration
	// HedgeShare is the share of requests that may be sent twice because the answer is late. 0 means 0.05; a negative
	// value disables hedges.
	HedgeShare float64

	// Checksums selects what is verified of objects that are read whole by one request, if the store sends checksums. The
	// default is CRCs. Ranges have no checksums, so objects larger than Part have none.
	Checksums Checksums

	// Endpoint is the URL of an S3 server, in place of AWS_ENDPOINT_URL and AWS's default. Region is the region of its
	// buckets, in place of AWS_REGION; the default is us-east-1.
	Endpoint, Region string
	// NoSignRequest signs no requests, even if there are credentials.
	NoSignRequest bool
	// Transport, if not nil, replaces the client's connections.
	Transport http.RoundTripper
}

func (o Options) withDefaults() Options {
	o.MaxInFlight = cmp.Or(o.MaxInFlight, max(512, o.InFlight))
	o.InFlight = cmp.Or(o.InFlight, min(64, o.MaxInFlight))
	o.Part = cmp.Or(o.Part, 8<<20)
	o.ReadAhead = cmp.Or(o.ReadAhead, 64<<20)
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	o.MinRate = cmp.Or(o.MinRate, 1024)
	o.RetryTime = cmp.Or(o.RetryTime, time.Minute)
	o.HedgeShare = cmp.Or(o.HedgeShare, 0.05)
	return o
}

// quota returns the number of bytes that must come within each Timeout.
func (o Options) quota() int { return max(1, int(float64(o.MinRate)*o.Timeout.Seconds())) }

// Validate reports all invalid options, each as a *spool.OptionError.
func (o Options) Validate() error {
	var bad invalid.Options
	if o.InFlight < 0 || o.MaxInFlight < 0 || (o.MaxInFlight > 0 && o.InFlight > o.MaxInFlight) {
		bad.Values([]spool.Option{{Name: "InFlight", Value: o.InFlight}, {Name: "MaxInFlight", Value: o.MaxInFlight}},
			"must not be negative, and InFlight not above MaxInFlight")
	}
	if o.Part < 0 {
		bad.Value("Part", o.Part, "must not be negative")
	}
	if o.Timeout < 0 || o.RetryTime < 0 {
		bad.Values([]spool.Option{{Name: "Timeout", Value: o.Timeout}, {Name: "RetryTime", Value: o.RetryTime}},
			"must not be negative")
	}
	if o.HedgeShare > 1 {
		bad.Value("HedgeShare", o.HedgeShare, "must be at most 1")
	}
	if o.Checksums > NoChecksums {
		bad.Value("Checksums", uint8(o.Checksums), "no such kind")
	}
	if o.Endpoint != "" {
		if u, err := url.Parse(o.Endpoint); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			bad.Values(invalid.Named("Endpoint"), "must be a URL of the form https://host")
		}
	}
	return bad.Err()
}
