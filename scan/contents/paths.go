package contents

import "strings"

// CleanPath spells a path that somebody typed as checkpoints do: below the working directory, without "." and
// doubled slashes. It is false for one that leads out.
func CleanPath(path, workdir string) (string, bool) { return relative(path, workdir) }

// relative gives a path below a working directory, cleaned as text; false where it leads out. Paths that begin
// with a drive are compared with both kinds of slashes.
func relative(path, workdir string) (string, bool) {
	if windows(workdir) {
		path, workdir = strings.ReplaceAll(path, `\`, "/"), strings.ReplaceAll(workdir, `\`, "/")
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(workdir, "/")+"/"); ok && workdir != "" {
		path = rest
	} else if strings.HasPrefix(path, "/") || windows(path) {
		return path, false
	}
	var out []string
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(out) == 0 {
				return path, false
			}
			out = out[:len(out)-1]
		default:
			out = append(out, part)
		}
	}
	return strings.Join(out, "/"), true
}

// windows says that a path begins with a drive or a share.
func windows(path string) bool {
	return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
