package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// planLimit bounds a plan that is read back, in bytes.
const planLimit = 256 << 20

// readPlan reads the digest and the ids of the steps from what fix --json wrote.
func readPlan(path string) (digest string, steps []string, err error) {
	bad := func(why string) error {
		return usageError{what: fmt.Sprintf("plan %q: %s", path, why), try: "a file that hermes-doctor fix --json wrote"}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", nil, bad(reason(err).Error())
	}
	defer func() { _ = f.Close() }() // opened for reading
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", nil, bad("is no regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, planLimit+1))
	if err != nil {
		return "", nil, bad(reason(err).Error())
	}
	var doc struct {
		Plan struct {
			Digest string
			Steps  []struct{ ID string }
		}
	}
	if len(data) > planLimit || json.Unmarshal(data, &doc) != nil || doc.Plan.Digest == "" {
		return "", nil, bad("is no plan")
	}
	if len(doc.Plan.Steps) == 0 {
		return "", nil, bad("has no step that could be carried out")
	}
	for _, s := range doc.Plan.Steps {
		steps = append(steps, s.ID)
	}
	return doc.Plan.Digest, steps, nil
}
