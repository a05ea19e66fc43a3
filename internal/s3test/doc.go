// Package s3test runs real S3 servers for tests, versitygw and moto, and toxiproxy as a faulty network in front of
// them. Each runs in a separate process. `make stores` builds versitygw and toxiproxy, and moto is a Python package.
// internal/need skips tests where they are missing.
package s3test
