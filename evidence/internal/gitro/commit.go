package gitro

import (
	"bytes"
	"strconv"
)

// CommitInfo is what a commit says.
type CommitInfo struct {
	ID        ID
	Tree      ID
	Parents   []ID
	Author    Signature
	Committer Signature
	Message   []byte // after the blank line, as stored
	Encoding  string // of the message; "" = UTF-8
	Signed    bool   // it carries a signature, which nobody verified
	Flaw      string // what git would not have written; "" = nothing
}

// Signature says who and when.
type Signature struct {
	Name, Email []byte
	When        int64  // epoch seconds
	Zone        string // like "+0200"
	Valid       bool   // name, time and zone were all readable
}

// ParseCommit reads a commit's content. A commit without a readable tree is an error; anything else that is odd is a
// Flaw.
func ParseCommit(content []byte, f Format) (CommitInfo, error) {
	var c CommitInfo
	rest := content
	for first := true; ; first = false {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if len(line) == 0 {
			if found {
				c.Message = bytes.Clone(after)
			}
			break
		}
		rest = after
		key, value, _ := bytes.Cut(line, []byte(" "))
		if first != (string(key) == "tree") {
			if first {
				return c, corrupt("a commit does not begin with its tree")
			}
			c.Flaw = "it names a second tree"
			continue
		}
		if err := c.header(string(key), value, f); err != nil {
			return c, err
		}
	}
	if c.Tree.size == 0 {
		return c, corrupt("a commit has no tree")
	}
	if c.Flaw == "" && (!c.Author.Valid || !c.Committer.Valid) {
		c.Flaw = "its author or committer line is damaged"
	}
	return c, nil
}

func (c *CommitInfo) header(key string, value []byte, f Format) error {
	switch key {
	case "tree", "parent":
		id, err := ParseID(string(value))
		if err != nil || int(id.size) != f.Size() {
			return corrupt("the %s of a commit is no object id: %.80q", key, value)
		}
		if key == "tree" {
			c.Tree = id
		} else {
			c.Parents = append(c.Parents, id)
		}
	case "author":
		c.Author = parseSignature(value)
	case "committer":
		c.Committer = parseSignature(value)
	case "encoding":
		c.Encoding = string(value[:min(len(value), 64)])
	case "gpgsig", "gpgsig-sha256":
		c.Signed = true
	}
	return nil
}

// parseSignature reads "Name <email> 1760000000 +0200".
func parseSignature(b []byte) Signature {
	var s Signature
	end := bytes.LastIndexByte(b, '>')
	start := bytes.IndexByte(b, '<')
	if start < 0 || end < start {
		s.Name = bytes.Clone(b)
		return s
	}
	s.Name, s.Email = bytes.Clone(bytes.TrimSpace(b[:start])), bytes.Clone(b[start+1:end])
	fields := bytes.Fields(b[end+1:])
	if len(fields) == 0 {
		return s
	}
	when, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return s
	}
	s.When = when
	if len(fields) == 2 && len(fields[1]) == 5 && (fields[1][0] == '+' || fields[1][0] == '-') {
		if _, err := strconv.Atoi(string(fields[1][1:])); err == nil {
			s.Zone, s.Valid = string(fields[1]), true
		}
	}
	return s
}

// Commit gives a commit.
func (r *Reader) Commit(id ID) (CommitInfo, error) {
	data, err := r.Expect(id, Commit)
	if err != nil {
		return CommitInfo{ID: id}, err
	}
	c, err := ParseCommit(data, r.repo.format)
	c.ID = id
	if err != nil {
		err = named(id, r.repo.whereID(&r.w, id), err)
	}
	return c, err
}

// share makes the texts that a commit has in common with its child those of the child: a hundred thousand times the
// same name is nothing to keep.
func (c *CommitInfo) share(child *CommitInfo) {
	c.Author.share(&child.Author)
	c.Committer.share(&child.Committer)
	c.Committer.share(&c.Author)
	if bytes.Equal(c.Message, child.Message) {
		c.Message = child.Message
	}
}

func (s *Signature) share(other *Signature) {
	if bytes.Equal(s.Name, other.Name) {
		s.Name = other.Name
	}
	if bytes.Equal(s.Email, other.Email) {
		s.Email = other.Email
	}
	if s.Zone == other.Zone {
		s.Zone = other.Zone
	}
}

// commitCost is what a commit costs beside its texts.
const commitCost = 448

// Chain follows first parents from a tip, newest first, until a commit without a parent. The error, an *ObjectError,
// says why it ends before that; the commits up to there are given all the same.
func (r *Reader) Chain(tip ID) ([]CommitInfo, error) {
	var chain []CommitInfo
	seen := newSet(r.repo.total)
	for id := tip; ; {
		n, known := r.repo.lookup(&r.w, id)
		if known && !seen.add(n) || len(chain) == r.repo.limits.Commits {
			return chain, &ObjectError{ID: id, Fault: FaultLimit, Err: tooMuch("more than %d commits, or a circle", len(chain))}
		}
		c, err := r.Commit(id)
		if err != nil {
			return chain, err
		}
		if len(chain) > 0 {
			c.share(&chain[len(chain)-1])
		}
		if r.history += commitCost + int64(len(c.Message)+len(c.Author.Name)+len(c.Author.Email)+len(c.Committer.Name)+len(c.Committer.Email)); r.history > r.repo.limits.History {
			return chain, &ObjectError{ID: id, Fault: FaultLimit, Err: tooMuch("the commits that were followed from all refs fill %d bytes", r.repo.limits.History)}
		}
		if chain = append(chain, c); len(c.Parents) == 0 {
			return chain, nil
		}
		id = c.Parents[0]
	}
}
