package object

import (
	"context"
	"encoding/xml"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// newS3 returns the server of a bucket.
func newS3(bucket string, o *Options, client *http.Client) (*server, error) {
	endpoint, own := o.endpoint()
	region := o.region()
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, bad("s3://"+bucket, "the endpoint is not a URL: check AWS_ENDPOINT_URL")
	}
	if own || strings.Contains(bucket, ".") { // a wildcard certificate covers one label only
		base.Path = strings.TrimSuffix(base.Path, "/") + "/" + bucket + "/"
	} else {
		base.Host = bucket + "." + base.Host
		base.Path = "/"
	}
	s := &server{base: base, bucket: true, client: client, sums: o.Checksums}
	if !o.NoSignRequest {
		s.sign = newSigner(region, !own, client).sign
	}
	return s, nil
}

// endpoint returns the URL for requests. own reports that it is not AWS's; its buckets are then folders of it.
func (o *Options) endpoint() (base string, own bool) {
	for _, e := range []string{o.Endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")} {
		if e != "" {
			return e, true
		}
	}
	return "https://s3." + o.region() + ".amazonaws.com", false
}

func (o *Options) region() string {
	for _, r := range []string{o.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")} {
		if r != "" {
			return r
		}
	}
	return "us-east-1"
}

// awsSigner signs requests as S3 requires, with credentials from the usual places.
type awsSigner struct {
	region      string
	sources     []credentialSource
	credentials *credentials.Credentials // of the first place that has some
	context     *credentials.CredContext

	noneUntil atomic.Pointer[time.Time] // there are known to be none until then; nil: nothing is known
}

// credentialSource is a place that may have credentials.
type credentialSource struct {
	name     string
	provider credentials.Provider
}

// newSigner returns a signer. It asks for a machine's role on AWS, and if the environment names one.
func newSigner(region string, aws bool, client *http.Client) *awsSigner {
	sources := []credentialSource{{"the environment (AWS_ACCESS_KEY_ID)", &credentials.EnvAWS{}},
		{"the file of AWS's tools", &credentials.FileAWSCredentials{}}}
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		aws = aws || os.Getenv(name) != ""
	}
	if aws && os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		sources = append(sources, credentialSource{"the role of this machine",
			&credentials.IAM{Client: machineClient(), Region: region}})
	}
	var chain []credentials.Provider
	for _, p := range sources {
		chain = append(chain, p.provider)
	}
	return &awsSigner{region: region, sources: sources, credentials: credentials.NewChainCredentials(chain),
		context: &credentials.CredContext{Client: client}}
}

// machineClient asks a service that answers at once on every machine of a cloud, and nowhere else: waiting is useless.
func machineClient() *http.Client {
	dial := &net.Dialer{Timeout: time.Second}
	return &http.Client{Timeout: 5 * time.Second,
		Transport: &http.Transport{DialContext: dial.DialContext, DisableKeepAlives: true}}
}

// sign signs a request, unless there are no credentials.
func (s *awsSigner) sign(r *http.Request) error {
	if until := s.noneUntil.Load(); until != nil && time.Now().Before(*until) {
		return nil
	}
	v, err := s.credentials.GetWithContext(s.context)
	if err != nil {
		return err
	}
	if v.SignerType.IsAnonymous() {
		until := time.Now().Add(time.Minute) // or each request would search all sources again
		s.noneUntil.Store(&until)
		return nil
	}
	r.Header.Set("X-Amz-Content-Sha256", unsigned)
	r.Header = signer.SignV4(*r, v.AccessKeyID, v.SecretAccessKey, v.SessionToken, s.region).Header
	return nil
}

// unsigned stands for the hash of the body in a request without one; TLS protects the rest.
const unsigned = "UNSIGNED-PAYLOAD"

// explain reads the code and text of S3 from an error response.
func (a *serverError) explain(resp *http.Response) {
	var e struct{ Code, Message, Region string }
	if text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10)); err == nil && xml.Unmarshal(text, &e) == nil {
		a.code, a.text = e.Code, e.Message
	}
	switch {
	case a.code == "AuthorizationHeaderMalformed":
		a.region = e.Region
	case resp.StatusCode == http.StatusMovedPermanently || resp.StatusCode == http.StatusTemporaryRedirect:
		a.region = resp.Header.Get("X-Amz-Bucket-Region")
	}
	a.signed = signed(resp.Request)
	// Some servers repeat what they were sent.
	_, key, _ := strings.Cut(resp.Request.Header.Get("Authorization"), "Credential=")
	key, _, _ = strings.Cut(key, "/")
	for _, secret := range []string{key, resp.Request.Header.Get(tokenHeader)} {
		if secret != "" {
			a.code, a.text = strings.ReplaceAll(a.code, secret, "..."), strings.ReplaceAll(a.text, secret, "...")
		}
	}
	a.text = spool.Redacted(a.text)
}

// tokenHeader is the header with the token of temporary credentials.
const tokenHeader = "X-Amz-Security-Token" //nolint:gosec // a name

// signed reports whether a request has a signature.
func signed(r *http.Request) bool { return r.Header.Get("Authorization") != "" }

// page lists objects of a bucket whose keys begin with prefix and come after the key last, in bytewise order, up to the
// key until unless that is empty. more reports whether there are further ones. The objects' URLs are keys with store in
// front.
func (s *server) page(ctx context.Context, store, prefix, last, until string) (objects []source.Entry, more bool,
	err error) {
	u := *s.base
	u.RawQuery = url.Values{"list-type": {"2"}, "prefix": {prefix}, "start-after": {last},
		"encoding-type": {"url"}}.Encode()
	resp, err := s.do(ctx, http.MethodGet, &u, nil)
	if err != nil {
		return nil, false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, false, s.errorOf(resp)
	}
	p, _ := s.pages.Get().(*pageReader)
	if p == nil {
		p = &pageReader{}
	}
	defer s.pages.Put(p)
	return p.read(resp.Body, store, until)
}
