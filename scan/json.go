package scan

import "github.com/seed-4d3eb737/hermes-doctor/scan/facts"

// ValidJSON says whether the product's decoder would take text: JSON, with NaN and the infinities as literals.
func ValidJSON(text []byte) bool { return facts.ValidJSON(text) }
