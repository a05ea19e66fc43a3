package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
)

// few is a number of executions from which the share of accepted inputs cannot be judged.
const few = 1000

// acceptance is the path of a file in which a target's processes count the inputs that they do not reject early, and
// explained differences from their oracles: see internal/fuzzed.
type acceptance string

func newAcceptance() (acceptance, error) {
	file, err := os.CreateTemp("", "accepted")
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = file.Write(make([]byte, 4096))
	return acceptance(file.Name()), err
}

func (a acceptance) environment() []string {
	return append(os.Environ(), "SPOOL_FUZZ_ACCEPTED="+string(a))
}

// of stores the counts in the result. A target that rejects all of many inputs tests nothing, so
// that is an error.
func (a acceptance) of(r *result) error {
	data, err := os.ReadFile(string(a))
	if err != nil {
		return err
	}
	for at := 64; at+64 <= len(data) && data[at] != 0; at += 64 {
		if r.disagreements == nil {
			r.disagreements = map[string]int64{}
		}
		r.disagreements[strings.TrimRight(string(data[at:at+56]), "\x00")] = int64(binary.NativeEndian.Uint64(data[at+56:]))
	}
	// Executions that a finding or the time limit interrupted are not counted, but may have been accepted.
	r.accepted = min(int64(binary.NativeEndian.Uint64(data)), r.executions)
	if r.accepted == 0 && r.executions >= few {
		return fmt.Errorf("none of %d inputs was accepted: the target refuses all, or does not call fuzzed.Accept",
			r.executions)
	}
	return nil
}

func (a acceptance) remove() { os.Remove(string(a)) }
