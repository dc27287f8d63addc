package bundle

import "strings"

// tables are those of the product that are carried (spec/state-db.md 3): the search index holds texts and is left out, and
// what another program put into the file is not known to be harmless.
var tables = strings.Fields(`schema_version system_prompts sessions messages session_model_usage state_meta
session_working_state gateway_routing gateway_hygiene_state conversation_generations gateway_heartbeats compression_locks
session_turn_leases async_delegations telegram_dm_topic_mode telegram_dm_topic_bindings delivery_obligations`)

// columns are the names of columns that are carried: any other name is not the product's, and might itself tell something.
var columns = set(`
_compressed_summary absorbed_message_uids acquired_at activated_at active actual_cost_usd adapter_profile
api_call_count api_content archived attempts auto_archived backend_id billing_base_url billing_mode
billing_provider cache_read_tokens cache_write_tokens chat_id chat_type codex_message_items
codex_reasoning_items compacted completed_at compression_failure_cooldown_until compression_failure_error
compression_fallback_streak compression_ineffective_count compression_overload_streak
compression_recovery_deadline content conversation_id cost_source cost_status created_at created_source cwd
delegation_id delivered_at delivery_attempts delivery_claim delivery_claimed_at delivery_state dispatched_at
display_identity display_kind display_metadata display_name display_order effect_disposition enabled
end_reason ended_at entry_json estimated_cost_usd event_json expires_at expiry_finalized failure_streak
finish_reason first_seen generation git_branch git_metadata_generation git_repo_root handoff_error
handoff_platform handoff_state hash hidden holder host id input_tokens key last_activity_at
last_activity_description last_activity_provenance last_error last_heartbeat last_read_at last_seen linked_at
managed_mode message_count message_uid model model_config obligation_id observed origin_json origin_session
origin_session_id origin_ui_session_id output_tokens owner_pid owner_started_at parent_session_id pid pinned
platform platform_message_id pricing_version profile profile_name prompt reasoning reasoning_content
reasoning_details reasoning_tokens result_json revision rewind_count role scope session_id session_key source
started_at state state_json system_prompt system_prompt_hash task task_json thread_id timestamp title
title_source token_count tool_call_count tool_call_id tool_call_uid tool_call_uids tool_calls tool_name
tool_names transport_profile updated_at user_id value version
`)

// texts are columns of which only the length is carried, and whether two are equal.
var texts = set(`
content tool_calls reasoning reasoning_content reasoning_details codex_reasoning_items codex_message_items api_content
display_metadata display_identity message_uid system_prompt prompt result_json task_json event_json last_error handoff_error
compression_failure_error last_activity_description state_json holder
`)

// documents are columns of JSON, of which the members are carried and the names in it replaced.
var documents = set("model_config origin_json entry_json")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
