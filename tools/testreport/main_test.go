package main

import (
	"bytes"
	"os"
	"testing"
)

// Reports in the formats of gotestsum and pytest.
func TestWrite(t *testing.T) {
	want, err := os.ReadFile("testdata/report.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got, []string{"testdata/asan.xml", "testdata/python.xml", "testdata/test.xml"}); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s\nwant\n%s", got.String(), want)
	}
}
