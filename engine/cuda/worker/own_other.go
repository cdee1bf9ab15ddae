//go:build !linux

package worker

import "os"

// ownFile is the file this process runs.
func ownFile() string {
	path, _ := os.Executable()
	return path
}
