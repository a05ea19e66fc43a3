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
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/source"
)

// Client reads objects of any number of stores, as the source.Remote of listings or directly. It is safe for concurrent
// use. A program should have one client: it measures each store, and every reader benefits from the measurements.
type Client struct {
	options Options
	http    *http.Client
	pool    *spool.Pool   // memory of store
	store   *ranges.Store // bytes that no reader has requested; nil without Options.ReadAhead
	running sync.WaitGroup
	life    context.Context // for requests that no caller waits for
	end     context.CancelFunc

	mu     sync.Mutex
	hosts  map[string]*host
	closed bool
}

// New returns a client. It sends no requests. The error is spool.ErrOptions, with all invalid options.
func New(o Options) (*Client, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Client{options: o.withDefaults(), hosts: map[string]*host{}}
	if c.options.ReadAhead > 0 {
		var err error
		if c.pool, err = spool.NewPool(spool.PoolOptions{MaxBytes: c.options.ReadAhead}); err != nil {
			return nil, err
		}
		c.store = ranges.NewStore(c.pool)
	}
	c.life, c.end = context.WithCancel(context.Background())
	transport := c.options.Transport
	if transport == nil {
		transport = newTransport(&c.options)
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: redirect}
	return c, nil
}

// newTransport returns a transport that keeps a connection for each request that may be in flight.
func newTransport(o *Options) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			if resp.StatusCode != http.StatusOK {
				return proxyError(resp.StatusCode)
			}
			return nil
		},
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: o.MaxInFlight,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // ranges count the stored bytes
		ReadBufferSize:      64 << 10,
	}
}

// redirect follows a few redirects of file servers. A signature is valid for one URL, so signed requests are not
// redirected.
func redirect(next *http.Request, via []*http.Request) error {
	switch {
	case signed(via[0]):
		return http.ErrUseLastResponse
	case len(via) >= 5:
		return errRedirects
	}
	next.Header.Del("Referer") // its query may be a signature
	return nil
}

// Known reports whether name is a URL: s3://, https://, http:// or hf://. It also accepts other schemes, for which Open
// returns an error that lists the supported ones.
func (c *Client) Known(name string) bool { return scheme.MatchString(name) }

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// Open opens an object, which the caller closes. It sends one request if the entry has no size. Errors are
// *spool.Error: ErrNotFound, ErrPermission, ErrTimeout, ErrIO, or ErrUnsupported if the server does not report the
// size.
func (c *Client) Open(ctx context.Context, e source.Entry) (spool.Object, error) {
	h, key, err := c.find(e.URL)
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
		return nil, fail("open", e.URL, err)
	}
	if i.size < 0 {
		return nil, &spool.Error{Op: "open", File: spool.Redacted(e.URL), Class: spool.ErrUnsupported,
			Text: "the server does not report the size"}
	}
	return c.object(h, key, source.Entry{URL: e.URL, Size: i.size, Version: i.version}), nil
}

// find returns the host and the key of a URL.
func (c *Client) find(name string) (*host, string, error) {
	a, err := parseURL(name)
	if err != nil {
		return nil, "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, "", fmt.Errorf("open %s: %w", spool.Redacted(name), spool.ErrClosed)
	}
	h := c.hosts[a.store]
	if h == nil {
		s, err := c.serve(a)
		if err != nil {
			return nil, "", err
		}
		h = &host{server: s, options: &c.options, running: &c.running}
		h.limiter = newLimiter(c.options.InFlight, c.options.MaxInFlight)
		h.hedgeBudget.share = c.options.HedgeShare
		c.hosts[a.store] = h
	}
	return h, a.key, nil
}

func (c *Client) serve(a location) (*server, error) {
	switch {
	case a.bucket != "":
		return newS3(a.bucket, &c.options, c.http)
	case a.hub.name != "":
		return newHub(a.hub, &c.options, c.http)
	}
	base, err := url.Parse(a.store)
	if err != nil {
		return nil, bad(spool.Redacted(a.store), "not a URL")
	}
	return &server{base: base, client: c.http, sums: c.options.Checksums}, nil
}

// Close waits for requests in flight and closes their connections. Reads end with their contexts: let them end first.
// Further calls do nothing.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	if c.store != nil {
		c.store.Close()
	}
	c.running.Wait()
	c.http.CloseIdleConnections()
	if c.pool == nil {
		return nil
	}
	return c.pool.Close()
}
