package toolassay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
)

// LineMax is the number of bytes of the longest line, in and out.
const LineMax = 64 * 1024 * 1024

// Main serves an adapter over standard input and output, and ends the process
// when the kit asks for it or closes its side. Call it first thing in main.
//
// Standard output belongs to the protocol: what the implementation prints goes
// to standard error, and what it reads from standard input is at its end.
func Main(adapter Adapter) {
	source, sink, err := takeStandardStreams()
	if err == nil {
		err = Serve(adapter, source, sink)
	}
	if err != nil {
		_, _ = os.Stderr.WriteString("toolassay: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// Serve answers the lines of a reader on a writer, one after the other and in
// their order, until `shutdown` or the end. Lines are read ahead. The error is
// that of the reader or the writer.
func Serve(adapter Adapter, source io.Reader, sink io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines := make(chan line, WindowMax)
	go readLines(ctx, source, lines)
	session := session{adapter: adapter}
	for one := range lines {
		if one.err != nil {
			return one.err
		}
		answer, isEnd := session.answer(ctx, one)
		if _, err := sink.Write(answer); err != nil {
			return err
		}
		if isEnd {
			return nil
		}
	}
	return nil
}

// line is one line of the kit.
type line struct {
	data    []byte
	tooLong bool
	err     error
}

// readLines reads lines into a queue until the end.
func readLines(ctx context.Context, source io.Reader, lines chan<- line) {
	defer close(lines)
	reader := bufio.NewReaderSize(source, 64*1024)
	for {
		one, isEnd := readLine(reader)
		if isEnd && len(one.data) == 0 && one.err == nil {
			return
		}
		select {
		case lines <- one:
		case <-ctx.Done():
			return
		}
		if isEnd {
			return
		}
	}
}

// readLine reads one line; of one that is too long only that is kept. The last
// line may have no newline.
func readLine(reader *bufio.Reader) (line, bool) {
	var one line
	for {
		part, err := reader.ReadSlice('\n')
		if len(one.data)+len(part) > LineMax {
			one = line{tooLong: true}
		}
		if !one.tooLong {
			one.data = append(one.data, part...)
		}
		switch {
		case err == nil:
			return one, false
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return one, true
		default:
			return line{err: err}, true
		}
	}
}
