//go:build !unix

package evidence

// openFlags: pipes and links are told apart by name here.
const (
	openFlags = 0
	noFollow  = 0
)
