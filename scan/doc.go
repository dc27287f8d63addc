// Package scan answers for every session row of every store: what it is, which row each chat resumes, what is
// damaged and what proves it. Run reads the facts once, decides about orphans, runs the checks it is given over one
// shared Pass, and returns a Result, a plain value without clock, host or path.
//
// It only reads, and only through evidence. Nothing here formats for a terminal or decides an exit code. Data flows
// evidence → facts → resume → adopt → here → checks.
package scan
