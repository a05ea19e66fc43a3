package settings

import (
	"errors"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/object"
)

// Stores defines the settings for how stores on the network are asked: by the names that they have in AWS's tools.
func (s *Set) Stores(o *object.Options) {
	s.Add("endpoint-url", "URL", "", "an S3 server in place of AWS's, as AWS_ENDPOINT_URL has it", func(text string) error {
		if err := (object.Options{Endpoint: text}).Validate(); err != nil {
			return errors.New(strings.TrimPrefix(err.Error(), spool.ErrOptions.Error()+": "))
		}
		o.Endpoint = text
		return nil
	}).secret = true
	s.Text("region", &o.Region, "NAME", "of the buckets, as AWS_REGION has it")
	s.Boolean("no-sign-request", &o.Anonymous, false, "use no credentials: for buckets that anybody may read")
	s.Number("max-concurrent-requests", &o.MaxInFlight, "512", 1, "most requests at a time to one store; up to there, as many as pay are found")
}
