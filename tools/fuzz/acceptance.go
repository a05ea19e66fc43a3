package main

import (
	"encoding/binary"
	"fmt"
	"os"
)

// few executions say nothing of what a target refuses.
const few = 1000

// acceptance is a file in which the processes of a target count the inputs that they do not refuse early: see
// internal/fuzzed.
type acceptance string

func newAcceptance() (acceptance, error) {
	file, err := os.CreateTemp("", "accepted")
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = file.Write(make([]byte, 8))
	return acceptance(file.Name()), err
}

func (a acceptance) environment() []string {
	return append(os.Environ(), "SPOOL_FUZZ_ACCEPTED="+string(a))
}

// of fills in what was accepted. A target that refuses all of many inputs tests nothing, which is an error.
func (a acceptance) of(r *result) error {
	number, err := os.ReadFile(string(a))
	if err != nil {
		return err
	}
	// Executions that a finding or the end of the time cut off are not counted, but may have been accepted.
	r.accepted = min(int64(binary.NativeEndian.Uint64(number)), r.executions)
	if r.accepted == 0 && r.executions >= few {
		return fmt.Errorf("none of %d inputs was accepted: the target refuses all, or does not call fuzzed.Accept", r.executions)
	}
	return nil
}

func (a acceptance) remove() { os.Remove(string(a)) }
