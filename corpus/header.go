package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// header reads the `key: value` lines of a case's comment. Blank lines and lines that begin with '#' are free.
func (c *Case) header(text string) error {
	seen := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || value == "" {
			return fmt.Errorf("header line %q is not `key: value`", line)
		}
		if seen[key] {
			return fmt.Errorf("header key %q is given twice", key)
		}
		seen[key] = true
		if err := c.set(key, value); err != nil {
			return err
		}
	}
	if c.About == "" {
		return fmt.Errorf("header has no about")
	}
	return nil
}

func (c *Case) set(key, value string) error {
	switch key {
	case "about":
		c.About = value
	case "issues":
		c.Issues = strings.Fields(value)
	case "schema":
		c.Schema = value
		return oneOf(key, value, build.Versions())
	case "born":
		c.Born = value
		return oneOf(key, value, build.Versions())
	case "fires":
		c.Fires = strings.Fields(value)
	case "near":
		c.Near = strings.Fields(value)
	case "now":
		now, err := strconv.ParseFloat(value, 64)
		if err != nil || !(now >= 1 && now <= 4.2e9) {
			return fmt.Errorf("header now: %q is no epoch", value)
		}
		c.Now = now
	case "zone":
		c.Zone = value
	case "journal":
		c.Journal = value
		var list []string
		for _, j := range build.Journals() {
			list = append(list, string(j))
		}
		return oneOf(key, value, list)
	case "fts":
		c.FTS = value
		return oneOf(key, value, []string{"yes", "no"})
	case "store":
		c.packed = value == "packed"
		return oneOf(key, value, []string{"loose", "packed"})
	case "home":
		c.folder = true
		return oneOf(key, value, []string{"yes"})
	default:
		return fmt.Errorf("unknown header key %q", key)
	}
	return nil
}

func oneOf(key, value string, list []string) error {
	if !slices.Contains(list, value) {
		return fmt.Errorf("header %s: %q is none of %s", key, value, strings.Join(list, " "))
	}
	return nil
}
