//go:build !spool_static

package checkup

const isStatic = false // the system's libraries are loaded
