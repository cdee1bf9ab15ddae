package worker

import "os"

// ownFile is the file this process runs, even if another one has taken its name
// since.
func ownFile() string {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self
	}
	path, _ := os.Executable()
	return path
}
