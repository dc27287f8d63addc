// Package adopt decides about orphans: rows that hold a chat's messages and name no chat. For each it says which
// chat it continues, on what evidence, what speaks against it, and which blank cells would bring it back; or why it
// must be left alone. The rules are CONTRACT's adoption tables; spec/state-db.md 7.0 ranks the evidence.
//
// A wrong adoption sews one person's talk into another's chat, so every veto wins over all evidence, what is
// ambiguous is refused with all reasons, and the resolver must give the orphan over the planned rows.
package adopt
