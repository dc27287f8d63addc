package checks

// byHand is the advice where a repair would replace a value: the exact statement, and why it is left to a person.
func byHand(statement string) string {
	return "By hand, on a copy: " + statement + "; this tool does not run it, because it overwrites a value."
}
