// Package rows reads the row language of a corpus case: a few words a line for a conversation, its messages and
// its routing entry, so that a case fits on a screen and a reviewer sees what is odd about it.
//
//	base 2026-08-03T12:01:03Z              the time that @0 stands for
//	local Europe/Berlin                    the machine's zone, for naive local times (default: the case's zone)
//	session NAME col=value …               a row of sessions; id=… where the id differs from NAME
//	messages NAME COUNT FROM..TO col=value …   that many, evenly spaced, alternating user and assistant
//	route KEY NAME col=value …             a row of gateway_routing with its entry
//	mirror KEY NAME col=value …            the same entry in sessions/sessions.json
//	row TABLE col=value …                  any other row
//	checkpoint                             what follows stands behind the checkpoint: see build.Journal
//
// A line that begins with a space continues the one before; '#' at the start of a line begins a comment. Values are
// bare words, numbers, "quoted" text with Go's escapes, NULL, inf, -inf, x'hex' (bytes as text), blob'hex',
// $NAME (that session's id), and times: @N or @2d3h5m after the base, +N after the session's own start,
// or 2026-08-03T12:01:03Z. Short names of sessions' columns: key, user, chat=ID/TYPE[/THREAD], start, last, ended,
// reason, parent, config, origin. message_count is the number of messages given unless it is set.
//
// The package knows nothing of SQLite: text goes in, build.Row values come out, and a panic never leaves it.
package rows
