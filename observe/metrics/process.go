package metrics

import (
	"time"

	"github.com/spoolmedia/spool/internal/proc"
)

// Process returns the metrics of this process that Prometheus' clients have, like process_resident_memory_bytes. It
// leaves out figures that the system does not have.
func Process() []Metric {
	var all []Metric
	add := func(name, unit, help string, kind Kind, value float64) {
		all = append(all, Metric{Name: name, Unit: unit, Help: help, Kind: kind, Points: []Point{{Value: value}}})
	}
	add("process.cpu", "s", "Total user and system CPU time spent in seconds.", Counter, proc.CPUTime().Seconds())
	if size, resident, err := proc.Memory(); err == nil {
		add("process.virtual.memory", "By", "Virtual memory size in bytes.", Gauge, float64(size))
		add("process.resident.memory", "By", "Resident memory size in bytes.", Gauge, float64(resident))
	}
	if open, limit, err := proc.Files(); err == nil {
		add("process.open.fds", "{file}", "Number of open file descriptors.", Gauge, float64(open))
		add("process.max.fds", "{file}", "Maximum number of open file descriptors.", Gauge, float64(limit))
	}
	if started, err := proc.Started(); err == nil {
		add("process.start.time", "s", "Start time of the process since unix epoch in seconds.", Gauge,
			float64(started.UnixNano())/float64(time.Second))
	}
	return all
}
