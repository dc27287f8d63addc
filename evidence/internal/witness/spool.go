package witness

import (
	"encoding/json"
	"errors"
)

// SpoolLimit is the largest spooled message that is read, in bytes.
const SpoolLimit = 16 << 20

// Spooled is a message that waits in a file because it could not be written to the database.
type Spooled struct {
	Session string // "" where the file names only a key
	Key     string // "" where the file names only a session
	Reason  string
	At      float64 // epoch seconds; 0 = the file does not say
}

// ParseSpooled reads a file of pending_messages. With the reason transcript_cap_drop its field session_key holds the id of
// a session (spec/state-db.md 1.3).
func ParseSpooled(text []byte) (Spooled, error) {
	var doc struct {
		Key    string          `json:"session_key"`
		Reason string          `json:"reason"`
		At     json.RawMessage `json:"ts"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return Spooled{}, errors.New("it is not the JSON of a spooled message: torn or damaged")
	}
	s := Spooled{Key: doc.Key, Reason: doc.Reason}
	_ = json.Unmarshal(doc.At, &s.At) // a time of another form counts as none
	var data struct {
		Session string `json:"session_id"`
	}
	if json.Unmarshal(doc.Data, &data) == nil {
		s.Session = data.Session
	}
	if s.Reason == "transcript_cap_drop" {
		if s.Session == "" {
			s.Session = s.Key
		}
		s.Key = ""
	}
	if s.Key == "" && s.Session == "" {
		return s, errors.New("it names neither a chat nor a session")
	}
	return s, nil
}
