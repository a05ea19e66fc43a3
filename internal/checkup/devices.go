package checkup

import (
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/nvjpeg"
	"github.com/spoolmedia/spool/transfer"
)

// Devices lists the devices that --device cuda:N selects.
type Devices struct {
	CUDA string   `json:"cuda,omitempty"` // the newest CUDA version that the driver supports
	List []Device `json:"list"`
	Why  string   `json:"why,omitempty"` // the reason for an empty list
}

// Device is one CUDA device.
type Device struct {
	Name        string `json:"name"` // the value of --device
	Model       string `json:"model"`
	MemoryBytes int64  `json:"memory_bytes"`
	Capability  string `json:"capability"`
	Bus         string `json:"bus"`
}

// DeviceDecoders lists the libraries that decode on CUDA devices.
type DeviceDecoders struct {
	NvJPEG DeviceDecoder `json:"nvjpeg"`
	NVDEC  DeviceDecoder `json:"nvdec"`
}

// DeviceDecoder is a library that decodes on devices.
type DeviceDecoder struct {
	Version string `json:"version,omitempty"` // empty if the library reports none
	Why     string `json:"why,omitempty"`     // the reason why it cannot be used
}

// findDecoders looks for the libraries. file is the path of nvJPEG; an empty path selects the system's library.
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

// findDevices lists the devices of the driver. Without a driver, Why has the reason.
func findDevices(o transfer.DeviceOptions) Devices {
	version, list, err := transfer.Devices(o)
	found := Devices{CUDA: version, List: []Device{}, Why: detail(err)}
	for _, d := range list {
		found.List = append(found.List, Device{d.Name, d.Model, d.Bytes, d.Capability, d.Bus})
	}
	return found
}
