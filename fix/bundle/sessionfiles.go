package bundle

import (
	"context"
	"encoding/json"
	"path"
	"strings"
)

// sessionFiles writes the sessions that lie in JSON files anew, with as many messages and nothing in them.
func (w *homeWriter) sessionFiles(ctx context.Context) error {
	dir := w.sessionsDir()
	if dir == "" {
		return nil
	}
	files, err := w.home.ReadSessionFiles(ctx, dir, func(string) bool { return true })
	if err != nil {
		return err
	}
	for _, f := range files.List {
		id, text := w.name(f.Session), []byte("{\n") // as torn as it was
		if f.Problem == "" {
			text, err = json.Marshal(map[string]any{"session_id": id, "messages": make([]struct{}, f.Messages)})
			if err != nil {
				return err
			}
			w.left["what the sessions in JSON files hold, but for the number of their messages"] = true
		}
		name := strings.Replace(path.Base(f.At.Path), f.Session, id, 1)
		if err := w.put(path.Join(dir, name), string(text)); err != nil {
			return err
		}
	}
	return nil
}
