// Package s3test runs a real server of S3, versitygw, for tests, and a network with faults before it, toxiproxy, each in a process of its
// own. `make stores` builds them; where they are not there, tests are skipped.
package s3test
