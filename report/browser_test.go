package report_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// browser is a real one without a window, driven over a pipe by its debugging protocol.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	id      int
	session string
	events  []event // of the page, since it was opened
}

// event is one thing that a page told.
type event struct {
	Method string
	Params json.RawMessage
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startBrowser starts the browser of this machine; the test is skipped where there is none.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process of Windows is given no pipes but the usual three")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no browser is installed: on Debian, apt-get install chromium")
	}
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	args := []string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + home, "--no-first-run", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars"}
	if os.Getuid() == 0 { // the browser refuses to shut itself in for root
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(path, append(args, "about:blank")...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	cmd.ExtraFiles = []*os.File{theirs, answers} // its descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	answers.Close()
	b := &browser{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	dead := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		dead.Stop()
		_, _ = fmt.Fprintf(to, "{\"id\":%d,\"method\":\"Browser.close\"}\x00", 1<<30)
		to.Close()
		gone := make(chan error, 1)
		go func() { gone <- cmd.Wait() }()
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-gone
		}
		from.Close()
	})
	return b
}

// call asks for one thing and waits for its answer, which is decoded into out unless that is nil.
func (b *browser) call(method string, params any, out any) {
	b.t.Helper()
	b.id++
	ask := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		ask["sessionId"] = b.session
	}
	line, err := json.Marshal(ask)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(line, 0)); err != nil {
		b.t.Fatalf("ask the browser for %s: %v", method, err)
	}
	for {
		m := b.read()
		if m.ID != b.id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if out != nil {
			if err := json.Unmarshal(m.Result, out); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

func (b *browser) read() message {
	b.t.Helper()
	line, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser ended: %v", err)
	}
	var m message
	if err := json.Unmarshal(bytes.TrimRight(line, "\x00"), &m); err != nil {
		b.t.Fatal(err)
	}
	if m.Method != "" {
		b.events = append(b.events, event{m.Method, m.Params})
	}
	return m
}

// look is how a page is looked at.
type look struct {
	width, height int
	scheme        string // light or dark
}

// open loads a page afresh and waits until it is there.
func (b *browser) open(url string, l look) {
	b.t.Helper()
	b.session = ""
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session, b.events = attached.SessionID, nil
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Accessibility"} {
		b.call(domain+".enable", map[string]any{}, nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": l.width, "height": l.height, "deviceScaleFactor": 1, "mobile": l.width < 600}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": l.scheme}}}, nil)
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	for {
		for _, e := range b.events {
			if e.Method == "Page.loadEventFired" {
				return
			}
		}
		b.read()
	}
}

// eval runs a script in the page, from outside of it, and decodes its value.
func (b *browser) eval(script string, out any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("a script failed: %s", answer.ExceptionDetails)
	}
	if err := json.Unmarshal(answer.Result.Value, out); err != nil {
		b.t.Fatalf("%s: %v", answer.Result.Value, err)
	}
}

// screenshot is the whole page as a PNG.
func (b *browser) screenshot() []byte {
	return b.data("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true})
}

// pdf is the page as it is printed, on A4.
func (b *browser) pdf() []byte {
	return b.data("Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69})
}

func (b *browser) data(method string, params any) []byte {
	b.t.Helper()
	var answer struct{ Data string }
	b.call(method, params, &answer)
	out, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}
