//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package toolassay

import "os"

// takeStandardStreams takes standard input and output for the protocol, and
// gives what the implementation prints and reads another place.
func takeStandardStreams() (*os.File, *os.File, error) {
	source, sink := os.Stdin, os.Stdout
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	os.Stdin, os.Stdout = null, os.Stderr
	return source, sink, nil
}
