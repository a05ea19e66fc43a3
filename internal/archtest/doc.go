// Package archtest holds the source tree to its architecture. Its tests read every file of the module and fail
// when a package imports what the table in table_test.go does not let it, when C is called outside cbridge, when
// a file has grown too long, or when a package lacks its documentation. A new package has to enter itself into
// the table.
package archtest
