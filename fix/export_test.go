package fix

import "github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"

// On makes the options use other files than the operating system's.
func (o BackupOptions) On(files write.FS) BackupOptions {
	o.files = files
	return o
}
