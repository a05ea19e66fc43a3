package object

import (
	"context"
	"net/url"
	"strings"
)

// Access describes how a client accesses a store. It contains no secrets.
type Access struct {
	URL         string // prefix of the objects' URLs
	Region      string // of an S3 bucket
	Credentials string // source of the credentials that sign requests; empty if requests are not signed
}

// Access returns how the store of a URL is accessed. It may ask a machine's role for credentials, and ignores sources
// that fail. The error is that of a bad URL, of a closed client or of ctx.
func (c *Client) Access(ctx context.Context, name string) (Access, error) {
	h, _, err := c.find(name)
	if err != nil {
		return Access{}, err
	}
	base := *h.server.base
	access := Access{URL: (&url.URL{Scheme: base.Scheme, Host: base.Host,
		Path: strings.TrimSuffix(base.Path, "/")}).String()}
	if h.server.hub != nil {
		access.Credentials = h.server.hub.credentials
		return access, nil
	}
	if !h.server.bucket {
		if base.User != nil {
			access.Credentials = "the URL"
		}
		return access, nil
	}
	access.Region = c.options.region()
	if c.options.NoSignRequest {
		return access, nil
	}
	_, own := c.options.endpoint()
	signer := newSigner(access.Region, !own, c.http)
	for _, p := range signer.sources {
		v, err := p.provider.RetrieveWithCredContext(signer.context)
		if err == nil && !v.SignerType.IsAnonymous() && v.AccessKeyID != "" {
			access.Credentials = p.name
			return access, nil
		}
	}
	return access, ctx.Err()
}
