package toolassay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Codes of JSON-RPC errors, which say that the adapter or the kit is at fault.
const (
	codeNoJSON       = -32700
	codeNoRequest    = -32600
	codeNoMethod     = -32601
	codeWrongParams  = -32602
	codeAdapterFault = -32001
)

// fault is a JSON-RPC error.
type fault struct {
	code    int
	message string
	detail  string
}

type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *errorData      `json:"error,omitempty"`
}

type errorData struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    detailData `json:"data"`
}

type detailData struct {
	Detail string `json:"detail"`
}

type request struct {
	id     json.RawMessage
	method string
	params json.RawMessage
}

// readRequest reads the envelope of one line. The id is given even where the
// rest is none, if there is one.
func readRequest(data []byte) (request, *fault) {
	none := request{id: json.RawMessage("null")}
	if !utf8.Valid(data) || !json.Valid(data) {
		return none, &fault{code: codeNoJSON, message: "the line is no JSON"}
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil || given == nil {
		return none, &fault{code: codeNoRequest, message: "the line is no request: it is no object"}
	}
	if _, err := strconv.ParseInt(string(given["id"]), 10, 64); err != nil {
		return none, &fault{code: codeNoRequest, message: "the line is no request: its id is no integer"}
	}
	read := request{id: given["id"], params: given["params"]}
	var version string
	if json.Unmarshal(given["jsonrpc"], &version) != nil || version != "2.0" {
		return read, &fault{code: codeNoRequest, message: `the line is no request: jsonrpc is not "2.0"`}
	}
	if given["method"] == nil || json.Unmarshal(given["method"], &read.method) != nil {
		return read, &fault{code: codeNoRequest, message: "the line is no request: its method is no string"}
	}
	if read.params == nil {
		read.params = json.RawMessage("{}")
	}
	return read, nil
}

// writeResult writes an answer as one line; what cannot be sent is a fault.
func writeResult(id json.RawMessage, result any) []byte {
	data, err := plainJSON(response{JSONRPC: "2.0", ID: id, Result: result})
	if err != nil {
		return writeFault(id, &fault{codeAdapterFault, "the adapter's answer is no JSON: " + ErrorOf(err), ""})
	}
	if len(data)+1 > LineMax {
		words := fmt.Sprintf("the adapter's answer has %d bytes, more than %d", len(data)+1, LineMax)
		return writeFault(id, &fault{codeAdapterFault, words, ""})
	}
	return append(data, '\n')
}

func writeFault(id json.RawMessage, found *fault) []byte {
	data, err := plainJSON(response{JSONRPC: "2.0", ID: id, Error: &errorData{
		found.code, Printable(found.message), detailData{found.detail},
	}})
	if err != nil { // cannot be: all of it is strings
		data = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no answer"}}`)
	}
	return append(data, '\n')
}

// readParams reads the params of a request; they are an object.
func readParams(params json.RawMessage, into any) *fault {
	if trimmed := bytes.TrimSpace(params); len(trimmed) == 0 || trimmed[0] != '{' {
		return &fault{code: codeWrongParams, message: "params is no object"}
	}
	if err := json.Unmarshal(params, into); err != nil {
		return &fault{code: codeWrongParams, message: "params cannot be read: " + ErrorOf(err)}
	}
	return nil
}
