package toolassay

import "syscall"

// redirect makes one file descriptor another name for an open one.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
