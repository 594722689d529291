// Echo is the smallest adapter that judges can be timed with: each argument text
// is given back as it came, which is right for every JSON object.
//
// Its one argument is the window that it declares.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

func answer(asked request, window string) string {
	switch asked.Method {
	case "initialize":
		return `"result":{"protocol":1,"name":"echo","version":"1","facets":[],"features":[],` +
			`"operations":["arguments/sanitize","event/validate"],"deterministic":true,"window":` + window + `}`
	case "arguments/sanitize":
		text := string(asked.Params.Arguments)
		return `"result":{"status":"ok","outcome":{"status":"ok","stored":` + text + `,"executable":` + text + `}}`
	case "event/validate", "shutdown":
		return `"result":{"status":"ok"}`
	}
	return `"error":{"code":-32601,"message":"unknown method"}`
}

func main() {
	window := "1"
	if len(os.Args) > 1 {
		window = os.Args[1]
	}
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if json.Unmarshal(line, &asked) != nil {
			asked.ID = json.RawMessage("null")
		}
		fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", asked.ID, answer(asked, window))
		if in.Buffered() == 0 {
			out.Flush()
		}
		if asked.Method == "shutdown" {
			return
		}
	}
}
