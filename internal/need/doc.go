// Package need skips tests that need something outside the repository: media, commands, servers, devices.
//
// Such a test names what it needs and its category. If that is missing, the test is skipped with the message "needs
// CATEGORY: what is missing". If the environment variable SPOOL_REQUIRE lists the category, the test fails instead:
//
//	SPOOL_REQUIRE=shared,ffmpeg go test ./decode/image
//
// Skips for other reasons (-short, another architecture, code that runs in a child process) do not use this package.
// python/tests/need.py does the same for the tests of the Python package.
package need
