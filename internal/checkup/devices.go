package checkup

import (
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/transfer"
)

// Devices are those of --device cuda:N.
type Devices struct {
	CUDA string   `json:"cuda,omitempty"` // the newest that the driver serves
	List []Device `json:"list"`
	Why  string   `json:"why,omitempty"` // there are none
}

// Device is one of them.
type Device struct {
	Name        string `json:"name"` // as --device takes it
	Model       string `json:"model"`
	MemoryBytes int64  `json:"memory_bytes"`
	Capability  string `json:"capability"`
	Bus         string `json:"bus"`
}

// DeviceDecoders are what decodes on CUDA devices, as far as it is not the devices'.
type DeviceDecoders struct {
	NvJPEG DeviceDecoder `json:"nvjpeg"`
	NVDEC  DeviceDecoder `json:"nvdec"`
}

// DeviceDecoder is a library that devices decode by.
type DeviceDecoder struct {
	Version string `json:"version,omitempty"` // where the library says one
	Why     string `json:"why,omitempty"`     // it cannot be used
}

// findDecoders looks for the libraries: nvJPEG in a file, "" is the system's.
func findDecoders(file string) (found DeviceDecoders) {
	if l, err := nvjpeg.Load(file); err != nil {
		found.NvJPEG.Why = detail(err)
	} else {
		found.NvJPEG.Version = l.Version()
	}
	found.NVDEC.Why = detail(av.NVDEC())
	return found
}

func detail(err error) string {
	if e, ok := errors.AsType[*spool.Error](err); ok {
		return e.Detail()
	}
	return ""
}

// findDevices asks the driver, if there is one.
func findDevices(o transfer.DeviceOptions) Devices {
	version, list, err := transfer.Devices(o)
	found := Devices{CUDA: version, List: []Device{}, Why: detail(err)}
	for _, d := range list {
		found.List = append(found.List, Device{d.Name, d.Model, d.Bytes, d.Capability, d.Bus})
	}
	return found
}
