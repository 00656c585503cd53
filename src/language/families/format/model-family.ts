/** Everything the service knows of a family of models, in one record. @module */
import type { TokenMarker, ToolCallGrammar } from './call-grammar.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import type { Expression, Trigger } from '../../grammar/expression.js';
import type { Tool } from '../../../core/request/tool.js';
import type { ChannelParser } from '../parsing/channel-parser.js';

/**
 * How a family writes tool calls, how it writes its thinking, or both. A new family is a file with such a record and a
 * line in `families.ts`; nothing else knows families by name.
 */
export interface ModelFamily {
  /** What `toolFormat` and `reasoningFormat` of a catalog entry call it. */
  readonly name: string;
  readonly tools?: ToolSyntax;
  readonly reasoning?: ReasoningSyntax;
  /** Calls are messages like thoughts: with its thoughts come its calls, whatever the tool format says. */
  readonly inseparable?: true;
}

/** A call to write down. */
export interface WrittenCall {
  name: string;
  /** A text is what stood in place of an object; it is written as it is. */
  arguments: object | string;
}

/** How tool calls look. */
export interface ToolSyntax {
  /**
   * The text shows that calls are written so. Families are asked in the order of the list: first about a call that the
   * model's template wrote, then about a whole prompt with tools, then about the template's source.
   */
  recognise(text: string): boolean;
  /** Added tokens that begin a call; they are forbidden where none may come. No text beginning with one of them begins another. */
  readonly openingTokens: readonly string[];
  /** A parser for one answer. @param tools those of the request: syntaxes without types take them from the schemas */
  createParser(tools: readonly Tool[]): ChannelParser;
  /** What begins a call even inside a thought that was not closed: the thought ends there. */
  readonly endsThought?: readonly string[];
  /** Whole calls end a thought that was not closed also if text follows them: their tags are tokens that only call. */
  readonly callEndsThought?: boolean;
  readonly grammar: ToolCallGrammar;
  /** Calls as the model itself writes them. At least one. */
  write(calls: readonly WrittenCall[]): string;
  /** Tells a model that was never taught tools how to call one. */
  readonly instruction: string;
}

/** How thinking looks. */
export interface ReasoningSyntax {
  /** The source of the template shows that the model thinks so. */
  recognise(source: string): boolean;
  /** What begins the thinking, and what ends it. */
  readonly open: string;
  readonly close: string;
  /** What takes a model that has thought long enough to its answer. Begins with `close`. */
  readonly forcedClose: string;
  /** The prompt opened the thinking. @param prompt its text, in which only the template's own tags count */
  endsInside(prompt: string): boolean;
  /** A parser for one answer. */
  createParser(options: AnswerParserOptions): ChannelParser;
  readonly grammar: {
    /** The tags that the grammar asks for. */
    readonly tags: readonly string[];
    /** An answer without calls. */
    frame(content: Expression, marker: TokenMarker): Expression;
    /** Lets the model think before the answer where it may. */
    think(answer: Expression, options: ThoughtGrammarOptions): Expression;
  };
  /** An answer as the model itself writes it. All may be empty. @param calls what `ToolSyntax.write` made */
  write(thought: string, text: string, calls: string): string;
}

export interface ThoughtGrammarOptions {
  rules: GrammarRules;
  marker: TokenMarker;
  /** The prompt ends inside the thinking. */
  startOpen: boolean;
  /** The caller asked for thinking, so the model may open it itself. */
  enabled: boolean;
  /** What begins a call inside a thought, where calls are read there. */
  calls?: ThoughtCalls | undefined;
}

/** Calls inside a thought. @property end they end it */
export interface ThoughtCalls {
  triggers: readonly Trigger[];
  end: boolean;
}

/** @public the declared types of the families name it */
export interface AnswerParserOptions {
  /** The prompt already opened the thinking. */
  startOpen: boolean;
  /** What begins a call even inside a thought that was not closed; empty where none may come. */
  endsThought: readonly string[];
  /** What may begin a call inside a thought: it is one if nothing but calls follows until the answer ends. */
  opensCall: readonly string[];
  /** Makes the parser of what is not a thought; absent where no tools are offered: what looks like a call is text then. */
  createToolParser: (() => ChannelParser) | undefined;
  /** Those of the request. */
  tools: readonly Tool[];
  /** Whole calls end a thought also if text follows them. */
  callEndsThought: boolean;
}
