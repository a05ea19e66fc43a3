// Package tune decides how many workers the stages of a pipeline have, and limits the CPU time of the process. It knows
// stages by their figures only. Package pipe reads the figures and changes the workers.
package tune
