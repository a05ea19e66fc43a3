package s3test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// Proxy is a faulty network in front of a server: toxiproxy, in a separate process. It stops when the test ends.
type Proxy struct {
	URL string // of the server, through the proxy

	t      testing.TB
	api    string
	client http.Client
}

// Toxic is a fault of connections. https://github.com/Shopify/toxiproxy#toxics lists the types and their attributes.
type Toxic struct {
	Type       string         `json:"type"`
	Stream     string         `json:"stream,omitempty"`   // downstream (responses), the default, or upstream
	Toxicity   float64        `json:"toxicity,omitempty"` // the share of affected connections; 0 is all
	Attributes map[string]any `json:"attributes"`
}

// NewProxy starts a proxy in front of a server.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	program := need.Store(t, "toxiproxy")
	api, listen := free(t), free(t)
	p := &Proxy{URL: "http://" + listen, t: t, api: "http://" + api}
	p.client.Transport = &http.Transport{}
	t.Cleanup(p.client.CloseIdleConnections)
	host, port, err := net.SplitHostPort(api)
	require.NoError(t, err)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-host", host, "-port", port, "-seed", "1") //nolint:gosec // built here
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 200 {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", api)
		if err == nil {
			require.NoError(t, conn.Close())
			p.call(http.MethodPost, "/proxies",
				map[string]string{"name": "store", "listen": listen, "upstream": strings.TrimPrefix(server, "http://")})
			return p
		}
		<-time.After(50 * time.Millisecond)
	}
	require.Fail(t, "toxiproxy does not listen")
	return nil
}

// Set replaces all faults by these.
func (p *Proxy) Set(toxics ...Toxic) {
	p.t.Helper()
	p.call(http.MethodPost, "/reset", nil)
	for _, toxic := range toxics {
		if toxic.Toxicity == 0 {
			toxic.Toxicity = 1
		}
		p.call(http.MethodPost, "/proxies/store/toxics", toxic)
	}
}

func (p *Proxy) call(method, path string, body any) {
	p.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(p.t, err)
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.api+path, bytes.NewReader(text))
	require.NoError(p.t, err)
	resp, err := p.client.Do(req)
	require.NoError(p.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(p.t, err)
	require.Less(p.t, resp.StatusCode, 300, "%s %s: %s", method, path, answer)
}
