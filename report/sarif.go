package report

import (
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// SARIF 2.1.0 with Errata 01 (OASIS Standard): one run, a rule for each check, a result for each finding, an artifact for
// each input. Code scanning services tell results apart by the fingerprint, which is the id of the finding.

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	fingerprint = "hermesDoctorFinding/v1"
)

type sarifText struct {
	Text string `json:"text"`
}

type sarifDriver struct {
	Name            string         `json:"name"`
	Version         string         `json:"version"`
	SemanticVersion string         `json:"semanticVersion"`
	Rules           []sarifRule    `json:"rules"`
	Properties      map[string]any `json:"properties"`
}

type sarifRule struct {
	ID               string          `json:"id"`
	ShortDescription *sarifText      `json:"shortDescription,omitempty"`
	FullDescription  *sarifText      `json:"fullDescription,omitempty"`
	Help             *sarifText      `json:"help,omitempty"`
	Default          *sarifDefault   `json:"defaultConfiguration,omitempty"`
	Properties       *sarifRuleExtra `json:"properties,omitempty"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifRuleExtra struct {
	Tags []string `json:"tags"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifactAt `json:"artifactLocation"`
}

type sarifArtifactAt struct {
	URI   string `json:"uri"`
	Index *int   `json:"index,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifArtifact struct {
	Location   sarifArtifactAt   `json:"location"`
	Length     int64             `json:"length"`
	Roles      []string          `json:"roles"`
	Hashes     map[string]string `json:"hashes,omitempty"`
	Properties map[string]any    `json:"properties"`
}

type sarifResult struct {
	RuleID        string             `json:"ruleId"`
	RuleIndex     int                `json:"ruleIndex"`
	Level         string             `json:"level"`
	Message       sarifText          `json:"message"`
	Locations     []sarifLocation    `json:"locations"`
	Fingerprints  map[string]string  `json:"partialFingerprints"`
	BaselineState string             `json:"baselineState,omitempty"`
	Suppressions  []sarifSuppression `json:"suppressions,omitempty"`
	Properties    map[string]any     `json:"properties"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications"`
}

// sarif writes the findings as one run. It holds one result at a time as JSON.
func (r *Report) sarif(w io.Writer, o Options) error {
	j := newJSONWriter(w)
	j.member("$schema", sarifSchema)
	j.member("version", "2.1.0")
	j.name("runs")
	j.raw("[")
	j.members = 0
	rules, at := r.sarifRules(o)
	j.member("tool", map[string]sarifDriver{"driver": {Name: r.tool.Name, Version: r.tool.Version, SemanticVersion: r.tool.Version,
		Rules: rules, Properties: map[string]any{"sqlite": r.tool.SQLite, "fts5": r.tool.FTS5}}})
	list(j, "invocations", each([]*scan.Result{r.result}, r.sarifInvocation(o)))
	list(j, "artifacts", each(r.inputs, func(in evidence.Input) sarifArtifact { return r.sarifArtifact(in) }))
	list(j, "results", picked(r.findings, r.result.Findings, func(f scan.Finding) sarifResult { return r.sarifResult(&f, at[f.Check], o) }))
	j.member("columnKind", "unicodeCodePoints")
	j.member("properties", map[string]any{"verdict": string(r.result.Verdict.Word), "sentence": shownText(r.result.Verdict.Sentence),
		"inputsUnchanged": r.result.Unchanged})
	j.raw("\n}]")
	return j.finish()
}

// sarifRules lists the checks in the order in which they ran, with the place of each.
func (r *Report) sarifRules(o Options) ([]sarifRule, map[string]int) {
	docs := make(map[string]*scan.Check, len(o.Checks))
	for _, c := range o.Checks {
		docs[c.ID] = c
	}
	rules, at := make([]sarifRule, 0, len(r.result.Checks)), map[string]int{}
	add := func(id string) {
		if _, there := at[id]; there {
			return
		}
		at[id] = len(rules)
		rules = append(rules, sarifRuleOf(id, docs[id]))
	}
	for _, c := range r.result.Checks {
		add(c.ID)
	}
	for i := range r.result.Findings {
		add(r.result.Findings[i].Check)
	}
	return rules, at
}

func sarifRuleOf(id string, c *scan.Check) sarifRule {
	rule := sarifRule{ID: id}
	if c == nil {
		return rule
	}
	rule.ShortDescription = &sarifText{c.Title}
	rule.FullDescription = &sarifText{c.Doc.What}
	rule.Help = &sarifText{strings.Join([]string{"What it does not prove: " + c.Doc.Not, "How it comes about: " + c.Doc.Origin,
		"Safe: " + c.Doc.Safe, "Makes it worse: " + c.Doc.Unsafe, "To see it by hand:\n" + c.Doc.ByHand}, "\n\n")}
	rule.Default = &sarifDefault{sarifLevel(c.Severity)}
	if len(c.Issues) > 0 {
		rule.Properties = &sarifRuleExtra{c.Issues}
	}
	return rule
}

// sarifLevel gives the standard's word for a severity.
func sarifLevel(s scan.Severity) string {
	if s == scan.Notice {
		return "note"
	}
	return string(s)
}

// sarifInvocation says whether everything was looked at; what was not is a notification.
func (r *Report) sarifInvocation(o Options) func(*scan.Result) sarifInvocation {
	return func(res *scan.Result) sarifInvocation {
		v := sarifInvocation{ExecutionSuccessful: res.Unchanged && !res.Partial, Notifications: []sarifNotification{}}
		_, failures := r.checks()
		for _, text := range failures {
			v.ExecutionSuccessful = false
			v.Notifications = append(v.Notifications, sarifNotification{"error", sarifText{Clean(text, proseLimit)}})
		}
		for _, path := range res.Changed {
			v.Notifications = append(v.Notifications, sarifNotification{"error", sarifText{Clean(path, cellLimit) + " changed while it was read"}})
		}
		notes := r.notes()
		if o.Known != nil {
			notes = append(append([]string{}, o.Known.Notes...), notes...)
		}
		for _, text := range notes {
			v.Notifications = append(v.Notifications, sarifNotification{"note", sarifText{Clean(text, proseLimit)}})
		}
		return v
	}
}

func (r *Report) sarifArtifact(in evidence.Input) sarifArtifact {
	a := sarifArtifact{Location: sarifArtifactAt{URI: fileURI(in.Path)}, Length: in.Bytes, Roles: []string{"analysisTarget"},
		Properties: map[string]any{"role": string(in.Role)}}
	if in.SHA256 != "" {
		a.Hashes = map[string]string{"sha-256": in.SHA256}
	}
	return a
}

// fileURI spells a path as a URI reference: relative where the path is.
func fileURI(name string) string {
	slashes := filepath.ToSlash(name)
	if !path.IsAbs(slashes) {
		// The leading ./ keeps a colon in the first part from making a scheme of it.
		return (&url.URL{Path: slashes}).String()
	}
	return (&url.URL{Scheme: "file", Path: slashes}).String()
}

func (r *Report) sarifResult(f *scan.Finding, rule int, o Options) sarifResult {
	out := sarifResult{RuleID: f.Check, RuleIndex: rule, Level: sarifLevel(f.Severity), Fingerprints: map[string]string{fingerprint: f.ID()},
		Message: sarifText{Clean(f.Message, proseLimit)}, Locations: []sarifLocation{r.sarifPlace(f)}}
	if f.Advice != "" {
		out.Message.Text += "\n\n" + Clean(f.Advice, proseLimit)
	}
	var proof []map[string]string
	for i, e := range f.Evidence {
		if i == listLimit {
			break
		}
		proof = append(proof, map[string]string{"at": shownText(e.At.String()), "saw": shownText(e.Saw), "how": shownText(e.Command())})
	}
	out.Properties = map[string]any{"subject": subject(f.Subject), "evidence": proof}
	if len(f.Evidence) > len(proof) {
		out.Properties["evidenceNotShown"] = len(f.Evidence) - len(proof)
	}
	s := o.Known.of(f)
	if s == nil {
		if o.Known != nil && o.Known.Baseline {
			out.BaselineState = "new"
		}
		return out
	}
	if s.By == "baseline" {
		out.BaselineState = "unchanged"
		out.Suppressions = []sarifSuppression{{"external", "accepted", "the baseline has it"}}
		return out
	}
	justification := Clean(s.Reason, proseLimit)
	if s.Until != "" {
		justification += " (until " + s.Until + ")"
	}
	out.Suppressions = []sarifSuppression{{"external", "accepted", justification}}
	return out
}

// sarifPlace is the file that a finding is about, and the row in it.
func (r *Report) sarifPlace(f *scan.Finding) sarifLocation {
	var at sarifLocation
	if i := r.inputOf(&f.Subject); i >= 0 {
		at.Physical = &sarifPhysical{sarifArtifactAt{URI: fileURI(r.inputs[i].Path), Index: &i}}
	}
	at.Logical = []sarifLogical{{FullyQualifiedName: Clean(f.Evidence[0].At.String(), cellLimit), Kind: "object"}}
	return at
}

// inputOf finds the input that a subject is about: its own file, its store, else the first of all; -1 where there is none.
func (r *Report) inputOf(s *scan.Subject) int {
	for _, name := range []string{s.Path, s.Store} {
		for i := range r.inputs {
			in := filepath.ToSlash(r.inputs[i].Path)
			if name != "" && (in == name || strings.HasSuffix(in, "/"+name)) {
				return i
			}
		}
	}
	for i := range r.inputs {
		if role := r.inputs[i].Role; role == evidence.RoleDatabase && s.Store != "" || role == evidence.RoleCheckpoints && s.Store == "" {
			return i
		}
	}
	return min(0, len(r.inputs)-1)
}
