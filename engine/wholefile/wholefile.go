// Package wholefile writes files whole or not at all.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes text what the file holds, and perm its permissions, whatever the umask.
//
// Whoever reads the file sees all of what it held before or all of the text; so does who
// reads it after the process was killed, or after the machine lost its power. Which of
// the two that is, is certain only for the first: the text is on the disk when Write
// returns (fsync), and that the name leads to it may be a little later, as the folder is
// left to the system. An error leaves the file as it was.
//
// A link in the file's place is replaced, and not followed. On Windows a file that
// another program holds open cannot be replaced: that is an error.
func Write(name string, text []byte, perm fs.FileMode) error {
	// Beside it, since a name moves within a file system only, and hidden, since people
	// look into these folders.
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(perm) // of CreateTemp it is 0600
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
