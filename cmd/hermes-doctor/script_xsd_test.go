package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// There is no validator for XML Schema among the libraries that build without another C library, so this one knows as
// much of it as JUnit.xsd needs, and refuses a schema that needs more. Where xmllint is installed, it is asked too.

// node is an element of a document or of a schema.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []node     `xml:",any"`
}

func (n *node) get(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n *node) child(name string) *node {
	for i := range n.Nodes {
		if n.Nodes[i].XMLName.Local == name {
			return &n.Nodes[i]
		}
	}
	return nil
}

type xsd struct {
	root     node
	elements map[string]*node
	types    map[string]*node
}

func readXSD(path string) (*xsd, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x := &xsd{elements: map[string]*node{}, types: map[string]*node{}}
	if err := xml.Unmarshal(data, &x.root); err != nil {
		return nil, err
	}
	for i := range x.root.Nodes {
		switch n := &x.root.Nodes[i]; n.XMLName.Local {
		case "element":
			x.elements[n.get("name")] = n
		case "complexType", "simpleType":
			x.types[n.get("name")] = n
		case "annotation":
		default:
			return nil, fmt.Errorf("schema: %s is not known here", n.XMLName.Local)
		}
	}
	return x, nil
}

func (x *xsd) validate(document []byte) error {
	var root node
	if err := xml.Unmarshal(document, &root); err != nil {
		return err
	}
	declared := x.elements[root.XMLName.Local]
	if declared == nil {
		return fmt.Errorf("no element %s", root.XMLName.Local)
	}
	return x.element(&root, declared, root.XMLName.Local)
}

func (x *xsd) element(n, declared *node, path string) error {
	def := declared.child("complexType")
	if def == nil {
		def = declared.child("simpleType")
	}
	if def == nil && declared.get("type") == "" {
		return nil // any content
	}
	if def == nil {
		if def = x.types[declared.get("type")]; def == nil {
			return x.simple(n.Text, declared.get("type"), path)
		}
	}
	if def.XMLName.Local == "simpleType" {
		return x.restricted(n.Text, def, path)
	}
	return x.complex(n, def, path)
}

// content gathers what a complex type and those that it extends declare.
type content struct {
	model      *node
	attributes []*node
	text       string // the type of the text; "" = none allowed
}

func (x *xsd) contentOf(def *node) (c content, err error) {
	for i := range def.Nodes {
		switch d := &def.Nodes[i]; d.XMLName.Local {
		case "sequence", "choice":
			c.model = d
		case "attribute":
			c.attributes = append(c.attributes, d)
		case "complexContent", "simpleContent":
			ext := d.child("extension")
			if ext == nil {
				return c, fmt.Errorf("schema: %s without extension", d.XMLName.Local)
			}
			own, err := x.contentOf(ext)
			if err != nil {
				return c, err
			}
			c = own
			if base := x.types[ext.get("base")]; d.XMLName.Local == "simpleContent" {
				c.text = ext.get("base")
			} else if base != nil {
				inherited, err := x.contentOf(base)
				if err != nil {
					return c, err
				}
				c.model = inherited.model
				c.attributes = append(c.attributes, inherited.attributes...)
			}
		case "annotation":
		default:
			return c, fmt.Errorf("schema: %s in a type is not known here", d.XMLName.Local)
		}
	}
	return c, nil
}

func (x *xsd) complex(n, def *node, path string) error {
	c, err := x.contentOf(def)
	if err != nil {
		return err
	}
	if c.text == "" && strings.TrimSpace(n.Text) != "" {
		return fmt.Errorf("%s: text %q", path, n.Text)
	}
	if c.text != "" {
		if err := x.simple(n.Text, c.text, path); err != nil {
			return err
		}
	}
	if err := x.attributes(n, c.attributes, path); err != nil {
		return err
	}
	inner := map[string]*node{}
	pattern, names := "", ""
	if c.model != nil {
		pattern = x.model(c.model, inner)
	}
	for i := range n.Nodes {
		name := n.Nodes[i].XMLName.Local
		names += "<" + name + ">"
		if d := inner[name]; d != nil {
			if err := x.element(&n.Nodes[i], d, path+"/"+name); err != nil {
				return err
			}
		}
	}
	if !regexp.MustCompile(`^` + pattern + `$`).MatchString(names) {
		return fmt.Errorf("%s: children %s do not fit %s", path, names, pattern)
	}
	return nil
}

// model spells a content model as a regular expression over the names of children.
func (x *xsd) model(m *node, inner map[string]*node) string {
	var parts []string
	for i := range m.Nodes {
		switch d := &m.Nodes[i]; d.XMLName.Local {
		case "element":
			inner[d.get("name")] = d
			parts = append(parts, "(<"+regexp.QuoteMeta(d.get("name"))+">)"+occurs(d))
		case "sequence", "choice":
			parts = append(parts, x.model(d, inner))
		}
	}
	joint := ""
	if m.XMLName.Local == "choice" {
		joint = "|"
	}
	return "(" + strings.Join(parts, joint) + ")" + occurs(m)
}

func occurs(n *node) string {
	least, most := n.get("minOccurs"), n.get("maxOccurs")
	if least == "" {
		least = "1"
	}
	switch {
	case most == "unbounded":
		most = ""
	case most == "":
		most = "1"
	}
	return "{" + least + "," + most + "}"
}

func (x *xsd) attributes(n *node, declared []*node, path string) error {
	known := map[string]*node{}
	for _, d := range declared {
		known[d.get("name")] = d
		if d.get("use") == "required" && !hasAttr(n, d.get("name")) {
			return fmt.Errorf("%s: no attribute %s", path, d.get("name"))
		}
	}
	for _, a := range n.Attrs {
		d := known[a.Name.Local]
		if d == nil {
			return fmt.Errorf("%s: unknown attribute %s", path, a.Name.Local)
		}
		at := path + "/@" + a.Name.Local
		err := error(nil)
		if def := d.child("simpleType"); def != nil {
			err = x.restricted(a.Value, def, at)
		} else {
			err = x.simple(a.Value, d.get("type"), at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func hasAttr(n *node, name string) bool {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return true
		}
	}
	return false
}

func (x *xsd) restricted(text string, def *node, path string) error {
	r := def.child("restriction")
	if r == nil {
		return fmt.Errorf("schema: a simple type without restriction")
	}
	for i := range r.Nodes {
		switch f := &r.Nodes[i]; f.XMLName.Local {
		case "pattern":
			if !regexp.MustCompile(`^(?:` + f.get("value") + `)$`).MatchString(text) {
				return fmt.Errorf("%s: %q does not fit %s", path, text, f.get("value"))
			}
		case "minLength":
			if n, err := strconv.Atoi(f.get("value")); err != nil || len(text) < n {
				return fmt.Errorf("%s: %q is too short", path, text)
			}
		case "whiteSpace":
		default:
			return fmt.Errorf("schema: facet %s is not known here", f.XMLName.Local)
		}
	}
	return x.simple(text, r.get("base"), path)
}

func (x *xsd) simple(text, kind, path string) error {
	if def := x.types[kind]; def != nil {
		return x.restricted(text, def, path)
	}
	ok := true
	switch kind {
	case "xs:string":
	case "xs:token":
		ok = text == strings.Join(strings.Fields(text), " ")
	case "xs:int":
		_, err := strconv.ParseInt(text, 10, 32)
		ok = err == nil
	case "xs:decimal":
		ok = regexp.MustCompile(`^[+-]?(\d+(\.\d*)?|\.\d+)$`).MatchString(text)
	case "xs:dateTime":
		ok = regexp.MustCompile(`^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$`).MatchString(text)
	default:
		return fmt.Errorf("schema: type %q is not known here", kind)
	}
	if !ok {
		return fmt.Errorf("%s: %q is no %s", path, text, kind)
	}
	return nil
}

// published is a schema of somebody else.
func published(name string) string {
	return filepath.Join("..", "..", "report", "testdata", "schema", name)
}

// validJUnit says what is wrong with a document, by JUnit.xsd.
func validJUnit(document []byte, path string) error {
	x, err := readXSD(published("JUnit.xsd"))
	if err != nil {
		return err
	}
	if err := x.validate(document); err != nil {
		return err
	}
	if _, err := exec.LookPath("xmllint"); err != nil {
		return nil
	}
	if out, err := exec.Command("xmllint", "--noout", "--nonet", "--schema", published("JUnit.xsd"), path).CombinedOutput(); err != nil {
		return fmt.Errorf("xmllint: %w\n%s", err, out)
	}
	return nil
}

// The validator must be able to say no.
func TestJUnitValidatorRefuses(t *testing.T) {
	x, err := readXSD(published("JUnit.xsd"))
	if err != nil {
		t.Fatal(err)
	}
	const good = `<testsuites><testsuite id="0" package="p" name="n" timestamp="2026-08-08T17:02:41" hostname="localhost" tests="1" failures="1" errors="0" time="0">` +
		`<properties></properties><testcase name="a" classname="b" time="0"><failure type="t" message="m">text</failure></testcase>` +
		`<system-out></system-out><system-err></system-err></testsuite></testsuites>`
	if err := x.validate([]byte(good)); err != nil {
		t.Errorf("a good document: %v", err)
	}
	for _, change := range [][2]string{
		{`id="0" `, ``}, {`tests="1"`, `tests="one"`}, {`T17:02:41`, ` 17:02:41`}, {`hostname="localhost"`, `hostname=""`},
		{`<properties></properties>`, ``}, {`<system-out></system-out>`, ``}, {`type="t" `, ``}, {`name="a"`, `name=" a"`},
		{`time="0"><fail`, `time="0" host="x"><fail`}, {`</failure>`, `</failure><skipped/>`}, {`</testsuites>`, `x</testsuites>`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%q is not in the document", change[0])
		}
		if x.validate([]byte(bad)) == nil {
			t.Errorf("no fault found in %s", bad)
		}
	}
}
