package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// nameMembers are the members of JSON documents that hold a name and no word of ours.
var nameMembers = map[string]bool{
	"session_id": true, "session_key": true, "predecessor": true, "now": true, "after_fix": true, "runner_up": true,
	"parent": true, "source": true, "workdir": true, "names": true,
}

// json redacts a document: the strings in it, by the member that they are the value of. Bytes beside a text that is not
// UTF-8 are those of the redacted text.
func (r *Redactor) json(doc []byte) []byte {
	if r == nil {
		return doc
	}
	var out bytes.Buffer
	member := ""
	for i := 0; i < len(doc); {
		if doc[i] != '"' {
			out.WriteByte(doc[i])
			i++
			continue
		}
		end := i + 1
		for doc[end] != '"' {
			if doc[end] == '\\' {
				end++
			}
			end++
		}
		end++
		var s string
		if json.Unmarshal(doc[i:end], &s) != nil { // the encoder's own output
			return nil
		}
		switch {
		case end < len(doc) && doc[end] == ':':
			member, s = s, r.Prose(s)
		case strings.HasSuffix(member, "_b64"):
			s = r.bytes(s)
		case nameMembers[member]:
			s = r.Name(s)
		default:
			s = r.Prose(s)
		}
		spelt, err := marshal(s)
		if err != nil {
			return nil
		}
		out.Write(spelt)
		i = end
	}
	return out.Bytes()
}

// bytes redacts the bytes of a name that is not UTF-8.
func (r *Redactor) bytes(b64 string) string {
	raw, err := base64.StdEncoding.DecodeString(b64)
	if err != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(r.Name(string(raw))))
}

// marshal spells a string as the documents do.
func marshal(s string) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return bytes.TrimRight(buf.Bytes(), "\n"), err
}
