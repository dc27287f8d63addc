//go:build !linux

package sqlitero

import "os"

// reflink is not tried here.
func reflink(_, _ *os.File) bool { return false }
