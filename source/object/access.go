package object

import (
	"context"
	"net/url"
	"strings"
)

// Access is how a client asks a store. There are no secrets in it.
type Access struct {
	URL         string // what the keys of objects are put behind
	Region      string // of S3
	Credentials string // where those come from that requests are signed with; empty where they are not signed
}

// Access says how the store of an address is asked. It may ask a machine's role for credentials. An error is that there are some
// that cannot be had.
func (c *Client) Access(ctx context.Context, name string) (Access, error) {
	h, _, err := c.find(name)
	if err != nil {
		return Access{}, err
	}
	base := *h.server.base
	access := Access{URL: (&url.URL{Scheme: base.Scheme, Host: base.Host, Path: strings.TrimSuffix(base.Path, "/")}).String()}
	if !h.server.bucket {
		if base.User != nil {
			access.Credentials = "the address"
		}
		return access, nil
	}
	access.Region = c.options.region()
	if c.options.Anonymous {
		return access, nil
	}
	_, own := c.options.endpoint()
	signer := newSigner(access.Region, !own, c.http)
	for _, p := range signer.places {
		v, err := p.provider.RetrieveWithCredContext(signer.context)
		if err == nil && !v.SignerType.IsAnonymous() && v.AccessKeyID != "" {
			access.Credentials = p.name
			return access, nil
		}
	}
	return access, ctx.Err()
}
