// Command expressions evaluates expressions as Argo does, for comparison: a line
// of JSON in, a line of JSON out.
//
//	{"language": "expr", "text": "1 + n", "variables": {"n": 2}}  ->  {"value": "3"}
//	{"language": "when", "text": "a == b"}                        ->  {"value": "false"}
//	{"language": "tags", "text": "{{n}}", "variables": {"n": "2"}} -> {"value": "\"2\""}
//
// A value is JSON in a string; what fails gives {"error": "..."}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/Knetic/govaluate"
	exprenv "github.com/argoproj/argo-workflows/v4/util/expr/env"
	"github.com/argoproj/argo-workflows/v4/util/logging"
	"github.com/argoproj/argo-workflows/v4/util/template"
	"github.com/expr-lang/expr"
)

type question struct {
	Language  string         `json:"language"`
	Text      string         `json:"text"`
	Variables map[string]any `json:"variables"`
}

type answer struct {
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

func evaluateExpr(q question) (any, error) {
	env := exprenv.GetFuncMap(q.Variables)
	program, err := expr.Compile(q.Text, expr.Env(env))
	if err != nil {
		return nil, err
	}
	return expr.Run(program, env)
}

// Bare words are strings: that is what makes govaluate's language Argo's.
func evaluateWhen(q question) (any, error) {
	parsed, err := govaluate.NewEvaluableExpression(q.Text)
	if err != nil {
		return nil, err
	}
	tokens := parsed.Tokens()
	for i := range tokens {
		if tokens[i].Kind == govaluate.VARIABLE {
			tokens[i].Kind = govaluate.STRING
		}
	}
	parsed, err = govaluate.NewEvaluableExpressionFromTokens(tokens)
	if err != nil {
		return nil, err
	}
	result, err := parsed.Evaluate(nil)
	if err != nil {
		return nil, err
	}
	if _, ok := result.(bool); !ok {
		return nil, fmt.Errorf("%v is not a bool", result)
	}
	return result, nil
}

func replaceTags(ctx context.Context, q question) (any, error) {
	text, err := json.Marshal(q.Text)
	if err != nil {
		return nil, err
	}
	replaced, err := template.Replace(ctx, string(text), q.Variables, true)
	if err != nil {
		return nil, err
	}
	var result string
	err = json.Unmarshal([]byte(replaced), &result)
	return result, err
}

func reply(ctx context.Context, line []byte) (result answer) {
	defer func() {
		if problem := recover(); problem != nil {
			result = answer{Error: fmt.Sprint(problem)}
		}
	}()
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Error: err.Error()}
	}
	var value any
	var err error
	switch q.Language {
	case "when":
		value, err = evaluateWhen(q)
	case "tags":
		value, err = replaceTags(ctx, q)
	default:
		value, err = evaluateExpr(q)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: string(text)}
}

func main() {
	ctx := logging.WithLogger(context.Background(), logging.NewSlogLogger(logging.Error, logging.Text))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := out.Encode(reply(ctx, lines.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
