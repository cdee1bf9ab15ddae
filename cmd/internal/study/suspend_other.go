//go:build !unix

package study

func canSuspend() bool { return false }
