package settings

import (
	"errors"

	"github.com/spoolmedia/spool/source/object"
)

// Stores defines the settings for requests to remote stores. Their names are those of AWS's tools.
func (s *Set) Stores(o *object.Options) {
	s.Add("endpoint-url", "URL", "", "an S3 server in place of AWS's, like AWS_ENDPOINT_URL", func(text string) error {
		if err := (object.Options{Endpoint: text}).Validate(); err != nil {
			return errors.New("must be a URL of the form https://host")
		}
		o.Endpoint = text
		return nil
	}).secret = true
	s.Text("region", &o.Region, "NAME", "of the buckets, like AWS_REGION")
	s.Boolean("no-sign-request", &o.NoSignRequest, false, "use no credentials: for public buckets")
	s.Number("max-concurrent-requests", &o.MaxInFlight, "512", 1,
		"most requests at a time to one store; below this limit, the number is tuned automatically")
}
