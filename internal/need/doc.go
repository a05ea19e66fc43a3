// Package need skips tests of what is not in the repository and not on this machine: media, commands, servers, devices.
//
// Such a test says what it needs, and of which category that is. Where it is missing, the test is skipped with a message of one form,
// "needs CATEGORY: what is missing". Where the environment variable SPOOL_REQUIRE lists the category, the test fails instead:
//
//	SPOOL_REQUIRE=shared,ffmpeg go test ./decode
//
// A skip for another reason (-short, another architecture, the part of a test that runs in a child process) is no matter of this
// package. python/tests/need.py does the same for the tests of the Python package.
package need
