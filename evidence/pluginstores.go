package evidence

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// pluginStores bounds how many databases of plug-ins are named, pluginFolders how many folders are looked into for them.
const (
	pluginStores  = 20
	pluginFolders = 200
)

// PluginStores names the databases that plug-ins keep in the home, as evidence spells them, sorted: lcm.db beside state.db, and what
// lies in folders below plugins. Nothing but their names and first bytes is read. Such a store may hold messages that state.db lacks,
// and more than once (#100960). A folder that cannot be listed has none.
func (h *Home) PluginStores() []string {
	folders := []string{".", "lcm", "plugins"}
	if entries, err := h.ReadDir("plugins"); err == nil {
		for _, e := range entries {
			if e.IsDir() && len(folders) < pluginFolders {
				folders = append(folders, path.Join("plugins", e.Name()), path.Join("plugins", e.Name(), "data"))
			}
		}
	}
	var out []string
	for _, dir := range folders {
		entries, err := h.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := strings.ToLower(e.Name())
			known := strings.HasPrefix(name, "lcm") || dir != "."
			if !known || !slices.Contains([]string{".db", ".sqlite", ".sqlite3"}, path.Ext(name)) || e.Type()&fs.ModeType != 0 {
				continue
			}
			rel := path.Join(dir, e.Name())
			if begun, err := begins(h, rel); err == nil && begun && len(out) < pluginStores {
				out = append(out, h.Path(rel))
			}
		}
	}
	slices.Sort(out)
	return out
}
