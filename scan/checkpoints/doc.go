// Package checkpoints states what the checkpoints of a base are: which project they belong to, which number
// `/rollback` gives them, what they hold, which nested repositories they do not hold and whether they say so, and
// which of their objects are lost.
//
// Read gives facts, never advice and never a severity: what follows from them is for scan/checks and for the commands.
// Every unique tree is read once, however many checkpoints share it. It reads through evidence alone.
package checkpoints
