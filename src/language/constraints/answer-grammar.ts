/** A request's whole answer as a grammar: reasoning, then text, JSON or calls. @module */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import { type AnswerFormats, answerSyntax, thoughtOpenings } from '../families/answer-syntax.js';
import {
  type CallableTool,
  type TokenMarker,
  type ToolCallGrammar,
  callTriggers,
  freeText,
} from '../families/format/call-grammar.js';
import type { ThoughtCalls } from '../families/format/model-family.js';
import { readsCallsInThoughts } from './calls-in-thoughts.js';
import { offersTools } from '../../core/request/generation-request.js';
import type { GenerationRequest, OutputFormat } from '../../core/request/generation-request.js';
import type { JsonSchema, Tool } from '../../core/request/tool.js';
import { anyObject } from '../grammar/any-value.js';
import { type Expression, choice, isNever } from '../grammar/expression.js';
import { GrammarRules, type LengthBounds, withinSize } from '../grammar/grammar-rules.js';
import type { ValueStyle } from '../grammar/value-style.js';
import { SchemaGrammar } from './schema/schema-grammar.js';
import { withSchemaErrors } from '../../core/schema/check-schema-structure.js';
import { SchemaProblem } from '../../core/schema/limits/schema-problem.js';
import { SCHEMA_WORK, WorkBudget } from '../../core/schema/limits/work-budget.js';
import { readPatternedDocument } from './schema/patterned-document.js';

/** What a model's answers look like. */
export interface AnswerFormat extends AnswerFormats {
  /** The prompt ends inside a think block. */
  reasoningOpen: boolean;
  spacing: ValueStyle['spacing'];
  marker: TokenMarker;
}

/** Steps for a whole request: all its schemas together, and the blanks between tokens. */
const WORK = 1.5 * SCHEMA_WORK;

/** The schema of a tool without parameters, and what the arguments of every tool conform to. */
const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };
const AN_OBJECT: JsonSchema = { type: 'object' };

/** An answer's grammar in EBNF. */
export interface AnswerGrammar {
  /** The grammar to make masks from. */
  masks: string;
  /** The whole grammar, where `masks` leaves lengths of strings open: it can check tokens, one at a time. */
  exact?: string;
}

/**
 * The EBNF text of all answers that the request allows. Throws InferenceError `invalid_request` when there is none,
 * or when a schema uses what a grammar cannot express.
 */
export function answerGrammar(request: GenerationRequest, format: AnswerFormat): string {
  return writeGrammar(request, format).ebnf;
}

/**
 * The same in two parts: masks leave longer strings open.
 * @param most characters of a string that are counted by masks. Each costs time for every token of the vocabulary.
 */
export function answerGrammars(request: GenerationRequest, format: AnswerFormat, most: number): AnswerGrammar {
  const { ebnf: masks, hasOpenLengths } = writeGrammar(request, format, { most, longer: 'open' });
  return hasOpenLengths ? { masks, exact: writeGrammar(request, format, { most, longer: 'counted' }).ebnf } : { masks };
}

interface WrittenGrammar {
  ebnf: string;
  hasOpenLengths: boolean;
}

function writeGrammar(request: GenerationRequest, format: AnswerFormat, lengths?: LengthBounds): WrittenGrammar {
  const param = offersTools(request) ? 'tools' : outputParam(request);
  return withSchemaErrors(param, () =>
    withinSize(
      (mostStates) => new GrammarRules(new WorkBudget(WORK), lengths, mostStates),
      (rules) => {
        const ebnf = writeAnswer(request, format, rules);
        return { ebnf, hasOpenLengths: rules.hasOpenLengths };
      },
    ),
  );
}

/** What the client's request calls the format of the output. */
function outputParam({ paramNames }: GenerationRequest): string {
  return paramNames?.response_format ?? 'response_format';
}

function writeAnswer(request: GenerationRequest, format: AnswerFormat, rules: GrammarRules): string {
  const tools = offeredTools(request);
  const { spacing, marker } = format;
  const syntax = answerSyntax(format);
  const content = contentGrammar(request.output, rules, { language: 'json', spacing });
  const framed = syntax.reasoning.grammar.frame(content ?? freeText(), marker);
  let answer: Expression;
  let inThought: ThoughtCalls | undefined;
  if (tools.length === 0) {
    answer = framed;
  } else {
    const { grammar } = syntax.tools;
    const style: ValueStyle = { spacing, ...grammar.values(marker) };
    const callable = tools.map((tool) => callableTool(tool, rules, style, grammar));
    const { parallelToolCalls: parallel } = request;
    const calls = grammar.calls({ rules, style, tools: callable, parallel, marker });
    if (request.toolChoice !== 'auto') answer = calls.required;
    else answer = content === undefined ? calls.free : choice(framed, calls.required);
    if (readsCallsInThoughts(request)) {
      const triggers = callTriggers(calls.free, thoughtOpenings(syntax.tools), { rules, marker });
      const { endsThought = [], callEndsThought = false } = syntax.tools;
      inThought = { triggers, end: callEndsThought || endsThought.length > 0 };
    }
  }
  const whole = isNever(answer)
    ? answer
    : syntax.reasoning.grammar.think(rules.add(answer), {
        rules,
        marker,
        startOpen: format.reasoningOpen,
        enabled: request.reasoning.enabled === true,
        calls: inThought,
      });
  const ebnf = rules.toEbnf(whole);
  if (ebnf === undefined)
    throw new InferenceError('invalid_request', 'No answer can satisfy this request.', {
      param: tools.length > 0 ? 'tools' : outputParam(request),
    });
  return ebnf;
}

/** The tools that may be called. Throws when the forced one is not there. */
export function offeredTools({ tools, toolChoice }: GenerationRequest): Tool[] {
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
      return withSchemaErrors(output.param ?? 'response_format', (locate) => {
        const document = readPatternedDocument(output.schema, rules.work);
        locate(document.paths);
        const root = new SchemaGrammar(document, rules, style).root();
        if (!rules.canFinish(root)) throw new SchemaProblem('allows no finite value, so nothing can be generated');
        return root;
      });
  }
}

function callableTool(tool: Tool, rules: GrammarRules, style: ValueStyle, syntax: ToolCallGrammar): CallableTool {
  try {
    return strictTool(tool, rules, style, syntax);
  } catch (error) {
    // What its schema allows cannot be written in this model's syntax.
    if (tool.loose && isInferenceError(error))
      return strictTool({ name: tool.name, parameters: AN_OBJECT }, rules, style, syntax);
    throw error;
  }
}

function strictTool(tool: Tool, rules: GrammarRules, style: ValueStyle, syntax: ToolCallGrammar): CallableTool {
  return withSchemaErrors(tool.param ?? 'tools', (locate) => {
    const document = readPatternedDocument(tool.parameters ?? NO_ARGUMENTS, rules.work);
    locate(document.paths);
    const schema = new SchemaGrammar(document, rules, style);
    const grammar = syntax.arguments({
      object: () => schema.root(AN_OBJECT),
      members: (frame) => rules.add(schema.rootObject(frame)),
    });
    if (!rules.canFinish(grammar)) throw new SchemaProblem('allows no arguments that this model can write');
    return { name: tool.name, arguments: grammar };
  });
}
