package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"html/template"
	"io"
	"math/big"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// profileHz is as fast as Linux can go where its clock ticks 250 times a second; beyond that, samples are lost and counted wrong.
const profileHz = 250

// service writes the CPU profile of an HTTP service under load, until it has used so much processor time. Its samples are labelled
// with the endpoint, the tenant and the request, which no two have in common.
func service(path string, seed int64, processorTime time.Duration) {
	server := httptest.NewServer(handlers())
	defer server.Close()
	file, err := os.Create(path)
	check(err)
	// Before the call that asks for 100: it keeps a rate that is set already, and complains on stderr.
	runtime.SetCPUProfileRate(profileHz)
	check(pprof.StartCPUProfile(file))
	begun := processorUsed()
	var clients sync.WaitGroup
	for client := range 2 * runtime.GOMAXPROCS(0) {
		random := rand.New(rand.NewSource(seed*1000 + int64(client)))
		clients.Go(func() {
			for request := 0; processorUsed()-begun < processorTime; request++ {
				id := fmt.Sprintf("%04x-%02x-%06x", seed, client, request)
				get(server, endpoints[random.Intn(len(endpoints))].path, id, random)
			}
		})
	}
	clients.Wait()
	pprof.StopCPUProfile()
	check(file.Close())
}

func processorUsed() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func get(server *httptest.Server, path, id string, random *rand.Rand) {
	request, err := http.NewRequest("GET", server.URL+path, nil)
	check(err)
	request.Header.Set("X-Request-Id", id)
	request.Header.Set("X-Tenant", fmt.Sprintf("tenant-%02d", random.Intn(40)))
	request.Header.Set("X-Source", fmt.Sprint(random.Intn(1<<30)))
	response, err := server.Client().Do(request)
	check(err)
	_, err = io.Copy(io.Discard, response.Body)
	check(err)
	check(response.Body.Close())
}

// endpoints do what services do, on Go's own source files: text that is real and everywhere where the bench can run.
var endpoints = []struct {
	path   string
	handle func(out io.Writer, source []byte) error
}{
	{"/format", formatSource},
	{"/types", checkTypes},
	{"/json", throughJSON},
	{"/xml", throughXML},
	{"/gob", throughGob},
	{"/page", renderPage},
	{"/search", searchWords},
	{"/archive", archive},
	{"/table", tabulate},
	{"/sign", sign},
}

func handlers() http.Handler {
	sources := smallSources()
	mux := http.NewServeMux()
	for _, endpoint := range endpoints {
		mux.HandleFunc(endpoint.path, func(out http.ResponseWriter, request *http.Request) {
			var number int
			_, err := fmt.Sscan(request.Header.Get("X-Source"), &number)
			check(err)
			source := sources[number%len(sources)]
			labels := pprof.Labels("endpoint", endpoint.path, "tenant", request.Header.Get("X-Tenant"),
				"request", request.Header.Get("X-Request-Id"))
			pprof.Do(request.Context(), labels, func(context.Context) {
				check(endpoint.handle(out, source))
			})
		})
	}
	return mux
}

// smallSources are files that a request is done with within some milliseconds.
func smallSources() [][]byte {
	names, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "*", "*.go"))
	check(err)
	sources := [][]byte{}
	for _, name := range names {
		source, err := os.ReadFile(name)
		check(err)
		if len(source) < 12_000 {
			sources = append(sources, source)
		}
	}
	return sources
}

func formatSource(out io.Writer, source []byte) error {
	formatted, err := format.Source(source)
	if err != nil {
		return err
	}
	_, err = out.Write(formatted)
	return err
}

func checkTypes(out io.Writer, source []byte) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "source.go", source, parser.ParseComments)
	if err != nil {
		return err
	}
	// Neither imports nor the package's other files are there: many names stay unknown, and checking goes on.
	config := types.Config{Error: func(error) {}}
	info := types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	config.Check("source", set, []*ast.File{file}, &info)
	_, err = fmt.Fprintln(out, len(info.Defs), len(info.Types))
	return err
}

// declaration is what the encoding endpoints send around: a source file as a tree.
type declaration struct {
	Name  string         `json:"name" xml:"name,attr"`
	Words []string       `json:"words" xml:"word"`
	Sizes map[string]int `json:"sizes" xml:"-"`
	Parts []*declaration `json:"parts" xml:"part"`
}

func declarations(source []byte) *declaration {
	root := &declaration{Name: "file"}
	for i, paragraph := range strings.Split(string(source), "\n\n") {
		part := &declaration{Name: fmt.Sprint("part ", i), Sizes: map[string]int{}}
		for _, line := range strings.Split(paragraph, "\n") {
			words := strings.Fields(strings.ToValidUTF8(line, "?"))
			part.Parts = append(part.Parts, &declaration{Name: fmt.Sprint("line ", len(part.Parts)), Words: words})
			for _, word := range words {
				part.Sizes[word] += len(word)
			}
		}
		root.Parts = append(root.Parts, part)
	}
	return root
}

func throughJSON(out io.Writer, source []byte) error {
	text, err := json.MarshalIndent(declarations(source), "", "  ")
	if err != nil {
		return err
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(decoded)
}

func throughXML(out io.Writer, source []byte) error {
	text, err := xml.Marshal(declarations(source))
	if err != nil {
		return err
	}
	// Control characters become U+FFFD on the way, so this reads what it wrote.
	var decoded declaration
	if err := xml.Unmarshal(text, &decoded); err != nil {
		return err
	}
	return xml.NewEncoder(out).Encode(decoded)
}

func throughGob(out io.Writer, source []byte) error {
	var buffer bytes.Buffer
	if err := gob.NewEncoder(&buffer).Encode(declarations(source)); err != nil {
		return err
	}
	var decoded declaration
	if err := gob.NewDecoder(&buffer).Decode(&decoded); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, len(decoded.Parts))
	return err
}

var page = template.Must(template.New("page").Parse(`{{define "part"}}<li id="{{.Name}}" title='{{.Sizes}}'>{{.Name}}` +
	`{{range .Words}} <a href="/search?q={{.}}" onclick="find({{.}})">{{.}}</a>{{end}}` +
	`<ul>{{range .Parts}}{{template "part" .}}{{end}}</ul></li>{{end}}<!doctype html><ul>{{template "part" .}}</ul>`))

func renderPage(out io.Writer, source []byte) error {
	return page.Execute(out, declarations(source))
}

var patterns = []*regexp.Regexp{
	regexp.MustCompile(`func (?:\((\w+) \*?(\w+)\) )?(\w+)\(([^)]*)\)`),
	regexp.MustCompile(`(?i)\b[a-z_]+err(or)?\b`),
	regexp.MustCompile(`(?m)^\s*//.*\b(todo|note|bug)\b.*$`),
	regexp.MustCompile(`"(?:[^"\\]|\\.)*"`),
}

func searchWords(out io.Writer, source []byte) error {
	for _, pattern := range patterns {
		found := pattern.FindAllSubmatchIndex(source, -1)
		replaced := pattern.ReplaceAllFunc(source, bytes.ToUpper)
		if _, err := fmt.Fprintln(out, pattern, len(found), len(replaced)); err != nil {
			return err
		}
	}
	return nil
}

func archive(out io.Writer, source []byte) error {
	var zipped bytes.Buffer
	for level := gzip.BestSpeed; level <= gzip.BestCompression; level += 4 {
		zip, err := gzip.NewWriterLevel(&zipped, level)
		if err != nil {
			return err
		}
		if _, err := zip.Write(source); err != nil {
			return err
		}
		if err := zip.Close(); err != nil {
			return err
		}
	}
	unzip, err := gzip.NewReader(&zipped)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, unzip)
	return err
}

func tabulate(out io.Writer, source []byte) error {
	words := strings.Fields(string(source))
	sort.SliceStable(words, func(i, j int) bool { return strings.ToLower(words[i]) < strings.ToLower(words[j]) })
	table := tabwriter.NewWriter(out, 0, 8, 1, ' ', tabwriter.AlignRight)
	for i, word := range words {
		fmt.Fprintf(table, "%d\t%q\t%8.3f\t%v\t\n", i, word, float64(len(word))/3, []byte(word))
	}
	return table.Flush()
}

func sign(out io.Writer, source []byte) error {
	sum := sha256.Sum256(source)
	modulus := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 521), big.NewInt(1))
	signature := new(big.Int).Exp(new(big.Int).SetBytes(sum[:]), new(big.Int).SetBytes(source[:min(64, len(source))]), modulus)
	_, err := fmt.Fprintf(out, "%x %s\n", sum, signature)
	return err
}
