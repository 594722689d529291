//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package toolassay

import (
	"fmt"
	"os"
	"syscall"
)

// takeStandardStreams takes standard input and output for the protocol, and
// gives what the implementation prints and reads another place. Children of the
// implementation do not get the protocol's descriptors.
func takeStandardStreams() (*os.File, *os.File, error) {
	source, err := duplicate(0, "requests")
	if err != nil {
		return nil, nil, err
	}
	sink, err := duplicate(1, "answers")
	if err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	if err := redirect(int(null.Fd()), 0); err != nil {
		return nil, nil, fmt.Errorf("standard input cannot be taken: %w", err)
	}
	if err := redirect(2, 1); err != nil {
		return nil, nil, fmt.Errorf("standard output cannot be taken: %w", err)
	}
	return source, sink, nil
}

func duplicate(number int, name string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	copied, err := syscall.Dup(number)
	if err != nil {
		return nil, fmt.Errorf("the descriptor %d cannot be taken: %w", number, err)
	}
	syscall.CloseOnExec(copied)
	return os.NewFile(uintptr(copied), name), nil
}
