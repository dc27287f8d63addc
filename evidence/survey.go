package evidence

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// Link is a symbolic link of a home. A copy of the home has the link and, where that leads out, nothing of what it leads to.
type Link struct {
	Path   string // below the home, with slashes
	Target string // as the link has it
	Leaves bool   // it leads out of the home, or cannot be followed inside it
	Whole  bool   // it leads into the home, by the path that this has on this machine
	Dead   bool   // what it leads to is not there
}

// Obstacle is an entry of a home that a copy would lack, and why.
type Obstacle struct{ Path, Why string }

// Survey is what lies in a home, by kind. Nothing is followed and nothing is read, so nothing of it is in custody.
type Survey struct {
	Files     int64
	Bytes     int64 // of the regular files
	Links     []Link
	Unread    []Obstacle // files and folders that may not be read
	Special   []Obstacle // pipes, sockets and devices
	Limited   bool       // the home has more entries than were looked at
	LinksMore int64      // links that are not in Links
}

// Bounds of a survey: a home holds agents' caches, which may be large and are nobody's question.
const (
	surveyEntries = 500_000
	surveyNamed   = 1_000
)

// Survey walks through the whole home, and through the folders of profiles below it. It opens each regular file and closes
// it again, because nothing else tells whether a copy could read it. What lies behind a link is not looked at.
func (h *Home) Survey(ctx context.Context) (*Survey, error) {
	s, seen := &Survey{}, 0
	err := fs.WalkDir(h.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if seen++; seen > surveyEntries {
			s.Limited = true
			return fs.SkipAll
		}
		if err != nil {
			s.Unread = withObstacle(s.Unread, Obstacle{name, oneLine(bare(err))})
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch mode := d.Type(); {
		case mode.IsDir():
		case mode&fs.ModeSymlink != 0:
			h.surveyLink(s, name)
		case mode.IsRegular():
			s.Files++
			if info, err := d.Info(); err == nil {
				s.Bytes += info.Size()
			}
			f, _, err := h.open(name)
			if err != nil {
				s.Unread = withObstacle(s.Unread, Obstacle{name, oneLine(err)})
				return nil
			}
			_ = f.Close() // opened for reading
		default:
			s.Special = withObstacle(s.Special, Obstacle{name, kindOf(mode)})
		}
		return nil
	})
	return s, err
}

func withObstacle(list []Obstacle, o Obstacle) []Obstacle {
	if len(list) < surveyNamed {
		list = append(list, o)
	}
	return list
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device or another thing that is no file"
}

// surveyLink tells where a link leads. One whose way goes through another link counts as leaving when that does.
func (h *Home) surveyLink(s *Survey, name string) {
	if len(s.Links) == surveyNamed {
		s.LinksMore++
		return
	}
	l := Link{Path: name}
	target, err := h.root.Readlink(filepath.FromSlash(name))
	if err != nil {
		s.Unread = withObstacle(s.Unread, Obstacle{name, oneLine(bare(err))})
		return
	}
	l.Target = target
	inside := !filepath.IsAbs(target) && !strings.HasPrefix(path.Join(path.Dir(name), filepath.ToSlash(target))+"/", "../")
	if _, err := h.root.Stat(filepath.FromSlash(name)); err != nil {
		l.Leaves = true
		there, err := filepath.EvalSymlinks(filepath.Join(h.Dir, filepath.FromSlash(name)))
		switch top, top1 := filepath.EvalSymlinks(h.Dir); {
		case err != nil:
			l.Dead, l.Leaves = true, !inside
		case top1 == nil && (there == top || strings.HasPrefix(there, top+string(filepath.Separator))):
			l.Whole, l.Leaves = true, false
		}
	}
	s.Links = append(s.Links, l)
}
