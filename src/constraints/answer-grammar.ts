/** A request's whole answer as a grammar: reasoning, then text, JSON or calls. @module */
import { InferenceError } from '../errors/inference-error.js';
import { THINK_TAGS } from '../events/think-tags.js';
import type { ReasoningFormat, ToolFormat } from '../events/token-event.js';
import type { GenerationRequest } from '../request/generation-request.js';
import type { OutputFormat } from '../request/output-format.js';
import type { JsonSchema, Tool } from '../request/tool.js';
import { anyObject } from './grammar/any-value.js';
import {
  type Expression,
  NEVER,
  characters,
  choice,
  isNever,
  literal,
  optional,
  repeat,
  sequence,
} from './grammar/expression.js';
import { GrammarRules } from './grammar/grammar-rules.js';
import type { ValueStyle } from './grammar/value-style.js';
import { type ObjectFrame } from './schema/object-grammar.js';
import { readSchemaDocument } from './schema/schema-document.js';
import { SchemaGrammar } from './schema/schema-grammar.js';
import { SchemaProblem } from './schema/schema-problem.js';
import { type CallableTool, freeText, spellings, tag, toolCallGrammar } from './tool-call-grammar.js';

/** What a model's answers look like. */
export interface AnswerFormat {
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** The prompt ends inside a think block. */
  reasoningOpen: boolean;
  spacing: ValueStyle['spacing'];
  /** The reserved character of an added token, or undefined when the model spells this text. */
  marker: (text: string) => string | undefined;
}

/** Arguments of a tool without parameters, and what all arguments are. */
const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };
const AN_OBJECT: JsonSchema = { type: 'object' };

/**
 * The EBNF text of all answers that the request allows. Throws InferenceError `invalid_request` when there is none,
 * or when a schema says what no grammar can keep.
 */
export function answerGrammar(request: GenerationRequest, format: AnswerFormat): string {
  const rules = new GrammarRules();
  const tools = offeredTools(request);
  const content = contentGrammar(request.output, rules, { language: 'json', spacing: format.spacing });
  let answer: Expression;
  if (tools.length === 0) {
    answer = framedContent(content ?? freeText(), format);
  } else {
    const syntax = format.reasoningFormat === 'harmony' ? 'harmony' : format.toolFormat;
    const style: ValueStyle = { language: syntax === 'pythonic' ? 'python' : 'json', spacing: format.spacing };
    const callable = tools.map((tool) => callableTool(tool, rules, style, syntax));
    const { marker } = format;
    const calls = toolCallGrammar(syntax, {
      rules,
      style,
      tools: callable,
      parallel: request.parallelToolCalls,
      marker,
    });
    if (request.toolChoice !== 'auto') answer = calls.required;
    else answer = content === undefined ? calls.free : choice(framedContent(content, format), calls.required);
  }
  const ebnf = rules.toEbnf(withReasoning(rules, rules.add(answer), request, format));
  if (ebnf === undefined)
    throw new InferenceError('invalid_request', 'No answer can satisfy this request.', {
      param: tools.length > 0 ? 'tools' : 'response_format',
    });
  return ebnf;
}

/** The tools that may be called. Throws when the forced one is not there. */
function offeredTools({ tools, toolChoice }: GenerationRequest): Tool[] {
  if (toolChoice === 'none') return [];
  if (typeof toolChoice === 'string') {
    if (toolChoice === 'required' && tools.length === 0) {
      throw new InferenceError('invalid_request', 'A tool choice of `required` needs at least one tool.', {
        param: 'tool_choice',
      });
    }
    return tools;
  }
  const forced = tools.filter((tool) => tool.name === toolChoice.name);
  if (forced.length === 0) {
    throw new InferenceError(
      'invalid_request',
      `The tool \`${toolChoice.name}\` of \`tool_choice\` is not among \`tools\`.`,
      {
        param: 'tool_choice',
      },
    );
  }
  return forced;
}

function contentGrammar(output: OutputFormat, rules: GrammarRules, style: ValueStyle): Expression | undefined {
  switch (output.type) {
    case 'text':
      return undefined;
    case 'json-object':
      return anyObject(rules, style);
    case 'json-schema':
      return possible(
        () => new SchemaGrammar(readSchemaDocument(output.schema), rules, style).root(),
        'response_format',
      );
  }
}

function callableTool(
  tool: Tool,
  rules: GrammarRules,
  style: ValueStyle,
  syntax: ToolFormat | 'harmony',
): CallableTool {
  return possible(() => {
    const grammar = new SchemaGrammar(readSchemaDocument(tool.parameters ?? NO_ARGUMENTS), rules, style);
    const isPythonic = syntax === 'pythonic';
    const object = isPythonic ? NEVER : grammar.valueOf([grammar.document.root, AN_OBJECT]);
    const keywords = isPythonic ? rules.add(grammar.rootObject(KEYWORD_ARGUMENTS)) : NEVER;
    if (rules.toEbnf(isPythonic ? keywords : object) === undefined) {
      throw new SchemaProblem('allows no arguments that this model can write');
    }
    return { name: tool.name, object, keywords };
  }, 'tools');
}

/** Runs a generator of grammar; a schema that it refuses is the caller's error. */
function possible<T>(make: () => T, param: string): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error;
    throw new InferenceError(
      'invalid_request',
      `Invalid schema in \`${param}\`: ${error.keyword ?? 'it'} ${error.message}.`,
      { param },
    );
  }
}

const KEYWORD_ARGUMENTS: ObjectFrame = {
  open: '(',
  close: ')',
  key: (name) => (/^[A-Za-z_]\w*$/.test(name) ? literal(`${name}=`) : NEVER),
  extraKeys: false,
};

function framedContent(content: Expression, { reasoningFormat, marker }: AnswerFormat): Expression {
  if (reasoningFormat !== 'harmony') return content;
  const constrain = sequence(literal(' '), tag('<|constrain|>', marker), literal('json'));
  return sequence(
    tag('<|channel|>', marker),
    literal('final'),
    optional(constrain),
    tag('<|message|>', marker),
    content,
  );
}

/** Lets the model think before the answer where it may. */
function withReasoning(
  rules: GrammarRules,
  answer: Expression,
  request: GenerationRequest,
  format: AnswerFormat,
): Expression {
  const { reasoningFormat, reasoningOpen, marker } = format;
  if (isNever(answer) || reasoningFormat === 'none') return answer;
  if (reasoningFormat === 'harmony') {
    const open = sequence(tag('<|channel|>', marker), literal('analysis'), tag('<|message|>', marker));
    const rest = sequence(
      rules.add({ type: 'text-until', stops: spellings('<|end|>', marker) }),
      tag('<|start|>', marker),
      literal('assistant'),
      answer,
    );
    return reasoningOpen ? rest : choice(answer, sequence(open, rest));
  }
  const tags = THINK_TAGS[reasoningFormat];
  const newlines = repeat(characters([0x0a, 0x0a]), 0, 2);
  const thought = sequence(rules.add({ type: 'text-until', stops: spellings(tags.close, marker) }), newlines, answer);
  if (reasoningOpen) return thought;
  return request.reasoning.enabled === true ? choice(answer, sequence(tag(tags.open, marker), thought)) : answer;
}
