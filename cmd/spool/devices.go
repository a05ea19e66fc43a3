package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/transfer"
)

// devices are those of --device cuda:N.
type devices struct {
	CUDA string   `json:"cuda,omitempty"` // the newest that the driver serves
	List []device `json:"list"`
	Why  string   `json:"why,omitempty"` // there are none
}

type device struct {
	Name        string `json:"name"` // as --device takes it
	Model       string `json:"model"`
	MemoryBytes int64  `json:"memory_bytes"`
	Capability  string `json:"capability"`
	Bus         string `json:"bus"`
}

// findDevices asks the driver, if there is one.
func findDevices(o transfer.DeviceOptions) devices {
	version, list, err := transfer.Devices(o)
	found := devices{CUDA: version, List: []device{}}
	if e, ok := errors.AsType[*spool.Error](err); ok {
		found.Why = oneLine(e.Detail())
	}
	for _, d := range list {
		found.List = append(found.List, device{d.Name, d.Model, d.Bytes, d.Capability, d.Bus})
	}
	return found
}

// rows writes a line a device.
func (d devices) rows(w io.Writer) {
	if d.Why != "" {
		fmt.Fprintf(w, "devices\tnone: %s\n", d.Why)
		return
	}
	for _, one := range d.List {
		fmt.Fprintf(w, "%s\t%s, %s, compute capability %s, driver for CUDA %s\n", one.Name, one.Model, amount("memory_bytes", one.MemoryBytes), one.Capability, d.CUDA)
	}
}
