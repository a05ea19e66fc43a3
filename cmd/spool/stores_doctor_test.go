package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/checkup"
)

// examined parses doctor's report on a store.
func examined(t *testing.T, text string) (s checkup.Store) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &s), text)
	return s
}

func stepsOf(s checkup.Store) (names []string) {
	for _, step := range s.Steps {
		names = append(names, step.Name)
	}
	return names
}

func TestDoctorOfStores(t *testing.T) {
	server := clitest.Bucket(t)
	s := examined(t, tool.Done(t, "doctor", "s3://data/photos/", "--json"))
	assert.Equal(t, "s3://data/photos/", s.URL)
	assert.Equal(t, server.URL+"/data", s.Endpoint)
	assert.Equal(t, "us-east-1", s.Region)
	assert.Equal(t, "the environment (AWS_ACCESS_KEY_ID)", s.Credentials)
	assert.Equal(t, []string{"connect", "list", "read"}, stepsOf(s), "an address needs no resolving, http no TLS")
	assert.Positive(t, s.Latency.P50MS)
	assert.GreaterOrEqual(t, s.Latency.P95MS, s.Latency.P50MS)
	require.GreaterOrEqual(t, len(s.Bandwidth), 3)
	for i, b := range s.Bandwidth {
		assert.Equal(t, 1<<i, b.InFlight)
		assert.Positive(t, b.Bytes)
		assert.Positive(t, b.Requests)
	}
	assert.NotEmpty(t, s.Advice)
	text := tool.Done(t, "doctor", "s3://data/photos/")
	assert.Regexp(t, `(?m)^credentials +the environment \(AWS_ACCESS_KEY_ID\)$`, text)
	assert.Regexp(t, `(?m)^latency +[\d.]+ ms \(p50\), [\d.]+ ms \(p95\) of 40 small reads$`, text)
	assert.Regexp(t, `(?m)^advice +\d+ requests at a time are enough for `, text)
	assert.NotContains(t, text, server.SecretKey)
	assert.NotContains(t, text, server.AccessKey)

	o := tool.Run("doctor", "s3://data/photos/", "--no-sign-request", "--json")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, "spool: s3://data/photos/: permission: AccessDenied: Access Denied, "+noCredentials+" (http 403)\n",
		o.Stderr)
	s = examined(t, o.Stdout)
	assert.Equal(t, "none", s.Credentials)
	assert.Contains(t, s.Steps[1].Error, "AccessDenied")
	o = tool.Run("doctor", "s3://data/nothing/")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, "spool: s3://data/nothing/: empty: no objects whose URL begins with this\n", o.Stderr)
}

// File servers have no listing: one object is read.
func TestDoctorOfFiles(t *testing.T) {
	s := examined(t, tool.Done(t, "doctor", clitest.Served(t)+"/photos/animal/00.jpg?token=hush", "--json"))
	assert.Equal(t, []string{"connect", "read"}, stepsOf(s))
	assert.Equal(t, "none", s.Credentials)
	assert.NotContains(t, s.URL, "hush")
	tool.Refused(t, cli.ExitUsage, []string{"spool: usage: spool doctor: too many arguments: c"}, "doctor", "s3://b", "c")
	tool.Refused(t, cli.ExitUsage,
		[]string{"spool: usage: photos is not a URL like s3://bucket/prefix or https://host/path"}, "doctor", "photos")
}
