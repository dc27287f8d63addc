package report

import (
	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

func finding(f scan.Finding) Finding {
	out := Finding{
		ID: f.ID(), Check: f.Check, Severity: string(f.Severity), Subject: subject(f.Subject),
		Evidence: make([]Evidence, len(f.Evidence)), Issues: texts(f.Issues),
		Adoption: adoption(f.Adoption), Fills: make([]Fill, len(f.Fills)), Held: f.Held, Labelled: f.Labelled,
	}
	out.Message, out.MessageB64 = text(f.Message)
	out.Advice, out.AdviceB64 = text(f.Advice)
	for i, e := range f.Evidence {
		out.Evidence[i] = observation(e)
	}
	for i, fill := range f.Fills {
		out.Fills[i] = convertFill(fill)
	}
	return out
}

// finding converts a finding together with what was known of it before.
func (o Options) finding(f scan.Finding) Finding {
	out := finding(f)
	if s := o.Known.of(&f); s != nil {
		s.Reason = shownText(s.Reason)
		out.Suppressed = s
	}
	return out
}

func observation(e evidence.Item) (out Evidence) {
	out.At, out.AtB64 = text(e.At.String())
	out.Saw, out.SawB64 = text(e.Saw)
	out.How, out.HowB64 = text(e.Command())
	return out
}

func subject(s scan.Subject) Subject {
	out := Subject{RowID: s.RowID}
	out.Store, out.StoreB64 = text(s.Store)
	out.SessionID, out.SessionIDB64 = text(s.SessionID)
	out.SessionKey, out.SessionKeyB64 = text(s.SessionKey)
	out.Source, out.SourceB64 = text(s.Source)
	out.Table, out.TableB64 = text(s.Table)
	out.Path, out.PathB64 = text(s.Path)
	out.Project, out.ProjectB64 = text(s.Project)
	out.Checkpoint = s.Checkpoint
	return out
}

func adoption(a *scan.Adoption) *Adoption {
	if a == nil {
		return nil
	}
	out := &Adoption{
		Decision: string(a.Decision), Evidence: texts(a.Evidence), Caveats: texts(a.Caveats),
		Refusals: make([]Refusal, len(a.Refusals)), Candidates: make([]Candidate, len(a.Candidates)),
	}
	out.Predecessor, out.PredecessorB64 = optionalText(a.Predecessor)
	out.SessionKey, out.SessionKeyB64 = optionalText(a.SessionKey)
	for i, r := range a.Refusals {
		out.Refusals[i] = Refusal{r.Code, shownText(r.Text)}
	}
	for i, c := range a.Candidates {
		to := &out.Candidates[i]
		to.SessionID, to.SessionIDB64 = text(c.SessionID)
		to.RejectedBy = shownText(c.RejectedBy)
	}
	return out
}

func convertFill(f scan.Fill) Fill {
	out := Fill{Table: f.Table, Column: f.Column}
	out.Key, out.KeyB64 = text(f.Key)
	out.Because, out.BecauseB64 = text(f.Because)
	switch v := f.Value.(type) {
	case string:
		shown, b64 := text(v)
		out.Value, out.ValueB64 = shown, b64
	case float64:
		if n := number(v); n != nil {
			out.Value = *n
		}
	default:
		out.Value = v
	}
	return out
}
