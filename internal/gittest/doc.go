// Package gittest makes git repositories for tests: stores of checkpoints are read by this module's own code, so what
// they are read from must be made by git itself. Only test files import it; it starts processes.
package gittest
