package pipenet

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// Server is an HTTP server for requests to any address through Transport. It is safe for concurrent use.
type Server struct {
	Transport *http.Transport

	server  *http.Server
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
	running sync.WaitGroup
}

// Serve starts a server.
func Serve(h http.Handler) *Server {
	s := &Server{server: &http.Server{Handler: h}, dialled: make(chan net.Conn), closed: make(chan struct{})} //nolint:gosec // it is reached from tests only
	s.Transport = &http.Transport{DialContext: s.dial, MaxIdleConnsPerHost: 1000}
	s.running.Go(func() { _ = s.server.Serve(listener{s}) }) // returns after Close
	return s
}

// Close stops the server, closes its connections, and waits until it accepts no more. Further calls do nothing.
func (s *Server) Close() {
	s.once.Do(func() { close(s.closed) })
	_ = s.server.Close()
	s.running.Wait()
	s.Transport.CloseIdleConnections()
}

var errClosed = errors.New("the server is closed")

func (s *Server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case s.dialled <- there:
		return here, nil
	case <-s.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: errClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listener is the net.Listener of a server.
type listener struct{ *Server }

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error   { return nil }
func (l listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
