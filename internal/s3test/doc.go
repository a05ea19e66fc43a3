// Package s3test runs real servers of S3 for tests, versitygw and moto, and a network with faults before them, toxiproxy, each in a
// process of its own. `make stores` builds versitygw and toxiproxy, moto is a Python package; internal/need
// skips tests where they are not there.
package s3test
