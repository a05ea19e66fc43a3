package bench

// CoreHour is the assumed price of one core for an hour, in dollars. It is about the list price of general-purpose
// machines at the large clouds in 2026. Tables that say what a dollar pays for are derived from it, and from CPU time.
const CoreHour = 0.05

// MillionsForADollar returns how many million items a dollar pays for, if each takes cpuMS milliseconds of CPU time. It
// is the rate of a machine whose cores are all busy, for each dollar of its price.
func MillionsForADollar(cpuMS float64) float64 {
	const hour, million = 3600e3, 1e6
	if cpuMS <= 0 {
		return 0
	}
	return hour / cpuMS / CoreHour / million
}
