package checks

import "github.com/seed-4d3eb737/hermes-doctor/scan"

// All lists every check. An id is permanent and never used again for another check.
func All() []*scan.Check {
	return []*scan.Check{
		orphanSession,
		zombieSession,
		messagesWithoutSession,
		falseFence,
		malformedModelConfig,
		livePastBoundary,
		duplicateLiveSessions,
		hollowSession,
		lineageCycle,
		routeToMissingSession,
		routeToEndedSession,
		unreadableText,
		emptyKeyedSession,
		danglingParent,
		clockAnomaly,
	}
}
