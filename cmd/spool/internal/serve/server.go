// Package serve has the HTTP servers of a run: its metrics, and its live page.
package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Address returns the address to listen on for HOST:PORT. Without a host it is that of this machine alone.
func Address(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil || port == "" || strings.ContainsAny(host, "/@") {
		return "", errors.New("must be :PORT, or HOST:PORT for other machines, like :9464 or 0.0.0.0:9464")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", errors.New("the port must be a number from 0 to 65535")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Server is a server of a run.
type Server struct {
	listener net.Listener
	server   http.Server
	ended    chan struct{}
	cancel   context.CancelFunc
}

// Start serves an address until Close.
func Start(address string, handler http.Handler) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{listener: l, ended: make(chan struct{}), cancel: cancel}
	s.server = http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(l) // until Close
	}()
	return s, nil
}

// URL is where the server is.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// patience is how long Close waits for requests.
const patience = 5 * time.Second

// Close ends the server and its requests.
func (s *Server) Close() error {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := errors.Join(s.server.Shutdown(ctx), s.server.Close())
	<-s.ended
	return err
}
