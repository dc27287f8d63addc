package pseudonym

import (
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
)

// vocabulary are the words that Hermes itself writes into names, keys, states and records, and that say nothing about
// anybody (spec/state-db.md 1.2 to 1.4, 3.2, 3.3 and 4).
const vocabulary = `
agent main dm group channel thread forum supergroup room guild private public direct server topic default
user assistant tool system session_meta unknown
agent_close ws_orphan_reap superseded_by_resume startup_orphan_reap session_reset session_switch idle daily both none
suspended resume_pending_expired new_session compression branched orphaned_compression superseded_by_repair abandoned
cli_close tui_close tui_shutdown ws_disconnect idle_timeout lru_evict cron_complete webhook_complete resumed_other
recovered new_command restart_timeout restart_interrupted
pending attempting delivered failed running completed done error cancelled queued dispatched claimed
_branched_from _delegate_from _reset_from __orphaned__ yolo_mode browser_model_lock gateway_runtime max_iterations
reasoning_config max_tokens provider base_url api_mode model temperature
session_key session_id created_at updated_at platform chat_type display_name origin metadata input_tokens output_tokens
cache_read_tokens cache_write_tokens total_tokens last_prompt_tokens estimated_cost_usd cost_status expiry_finalized
memory_flushed resume_pending resume_reason last_resume_marked_at active_turn_token active_turn_started_at
is_fresh_reset was_auto_reset auto_reset_reason reset_had_activity prev_session_id model_override _README
chat_id user_id user_id_alt thread_id prospective_thread_id scope_id guild_id chat_name user_name profile message_id
reason ts seq data message transcript_cap_drop role content timestamp request body messages
default_reset_policy reset_by_platform reset_by_type sessions_dir multiplex_profiles session_reset gateway mode at_hour
idle_minutes gateway_auto_continue_freshness gateway_timeout database journal_mode wal delete
state db wal shm journal sessions json jsonl profiles logs log gateway errors gui desktop config yaml pending_messages
checkpoints store refs hermes heads objects info pack projects indexes snapshots state-snapshots HEAD packed-refs
malformed backup zeroed retired bak tmp txt md zip gz tar request_dump
true false null True False None NaN Infinity
fts_storage_version fts_optimize_available fts_stale fts_cjk_stale fts_rebuild_high_water fts_rebuild_progress
fts_cjk_rebuild_high_water fts_cjk_rebuild_progress fts_rebuild_deferral ghost_session_prune_v1
orphaned_compression_finalize_v1 last_auto_prune last_vacuum last_auto_archive telegram_dm_topic_schema_version
db_file_generation goal
`

// Fixed is the vocabulary of the product: the platforms and surfaces, and the words of its own records. It is a new set
// that the caller may add to.
func Fixed() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(vocabulary) {
		set[w] = true
	}
	for _, s := range facts.Sources() {
		set[s] = true
	}
	return set
}
