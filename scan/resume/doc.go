// Package resume says which session row the product gives to a chat after a restart: the resolver of
// spec/state-db.md section 5 in its three generations, as pure functions over the facts.
//
// Two stages answer for a chat. Load reads the routing index as the gateway does at its start, with what that does
// to rows; Loaded.Resolve then answers as the next message of a chat would be answered, by its routing entry or by
// the finder's query over sessions. Zombies are defined by this answer, and a repair is offered only where the
// answer over the planned rows is the right one.
package resume
