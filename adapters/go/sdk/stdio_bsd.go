//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package toolassay

import "syscall"

// redirect makes one file descriptor another name for an open one.
func redirect(from, to int) error { return syscall.Dup2(from, to) }
