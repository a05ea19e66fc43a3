package object

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Client reads objects of any number of stores, as the source.Remote of listings or by itself. It is safe for concurrent use,
// and meant to be shared: what it knows of a store is of use to all.
type Client struct {
	options Options
	http    *http.Client
	blocks  *blocks
	running sync.WaitGroup
	life    context.Context // of requests that no caller waits for
	end     context.CancelFunc

	mu     sync.Mutex
	hosts  map[string]*host
	closed bool
}

// New makes a client. It sends nothing. The error is spool.ErrOptions with all that is wrong.
func New(o Options) (*Client, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Client{options: o.withDefaults(), hosts: map[string]*host{}}
	var err error
	if c.blocks, err = newBlocks(c.options.ReadAhead); err != nil {
		return nil, err
	}
	c.life, c.end = context.WithCancel(context.Background())
	transport := c.options.Transport
	if transport == nil {
		transport = newTransport(&c.options)
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: redirect}
	return c, nil
}

// newTransport keeps a connection for each request that there may be at a time.
func newTransport(o *Options) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			if resp.StatusCode != http.StatusOK {
				return proxyAnswer(resp.StatusCode)
			}
			return nil
		},
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: o.MaxInFlight,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // ranges are of the bytes as they lie there
		ReadBufferSize:      64 << 10,
	}
}

// redirect follows what servers of files send, a few times. A signature holds for one address only, so what was signed goes nowhere else.
func redirect(next *http.Request, via []*http.Request) error {
	switch {
	case signed(via[0]):
		return http.ErrUseLastResponse
	case len(via) >= 5:
		return errRedirects
	}
	next.Header.Del("Referer") // which may have a query that is a signature
	return nil
}

// Known tells addresses from other names: s3://, https:// and http://, and of other schemes those that look like one, so that it is
// told what is read in their place.
func (c *Client) Known(name string) bool { return scheme.MatchString(name) }

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// Open opens an object, which is the caller's to close. An entry of which the size is not known is asked for: one request.
// Errors are *spool.Error: ErrNotFound, ErrPermission, ErrTimeout, ErrIO.
func (c *Client) Open(ctx context.Context, e source.Entry) (spool.Object, error) {
	h, key, err := c.find(e.Address)
	if err != nil {
		return nil, err
	}
	if e.Size > 0 {
		return c.object(h, key, e), nil
	}
	var i info
	err = h.ask(ctx, func(ctx context.Context) (err error) {
		i, err = h.server.stat(ctx, key)
		return err
	})
	if err != nil {
		return nil, fail("open", e.Address, err)
	}
	if i.size < 0 {
		return nil, &spool.Error{Op: "open", File: spool.Shown(e.Address), Class: spool.ErrUnsupported, Text: "the server does not tell the size"}
	}
	return c.object(h, key, source.Entry{Address: e.Address, Size: i.size, Version: i.version}), nil
}

// find gives the host of an address.
func (c *Client) find(name string) (*host, string, error) {
	a, err := parse(name)
	if err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, "", fmt.Errorf("open %s: %w", spool.Shown(name), spool.ErrClosed)
	}
	h := c.hosts[a.store]
	if h == nil {
		s, err := c.serve(a)
		if err != nil {
			return nil, "", err
		}
		h = &host{server: s, options: &c.options, running: &c.running}
		h.limiter = newLimiter(c.options.InFlight, c.options.MaxInFlight)
		h.twice.share = c.options.HedgeShare
		c.hosts[a.store] = h
	}
	return h, a.key, nil
}

func (c *Client) serve(a address) (*server, error) {
	if a.bucket != "" {
		return newS3(a.bucket, &c.options, c.http)
	}
	base, err := url.Parse(a.store)
	if err != nil {
		return nil, bad(spool.Shown(a.store), "no address")
	}
	return &server{base: base, client: c.http, sums: c.options.Checksums}, nil
}

// Close waits for requests that are on their way and gives their connections back. Reads end by their contexts: let them
// end first. Further calls do nothing.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.running.Wait()
	c.http.CloseIdleConnections()
	return c.blocks.close()
}
