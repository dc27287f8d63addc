package scan

import (
	"fmt"
	"strings"
)

// pluginNote says that databases of plug-ins stand beside the store and are not read; "" for none.
func (e *exam) pluginNote() string {
	if e.store.Home == nil {
		return ""
	}
	list := e.store.Home.PluginStores()
	if len(list) == 0 {
		return ""
	}
	word, it := "the database of a plug-in, which", "it"
	if len(list) > 1 {
		word, it = "databases of plug-ins, which", "them"
	}
	return fmt.Sprintf("%s %s %s no reader here knows: a session without a row may be in %s; what a replay wrote stands there more than once, so that an import would double messages (#100960)",
		strings.Join(list, ", "), be(len(list)), word, it)
}
