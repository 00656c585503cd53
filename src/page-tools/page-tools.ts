/** The tools that a page declares by WebMCP, for models: a list in each endpoint's form, and a function that runs calls. @module */
import { orAborted } from '../core/platform/reject-on-abort.js';
import { findProblem } from './check-arguments.js';
import {
  type DeclaredTool,
  declaredTools,
  findInputForm,
  isOwn,
  type ModelContext,
  modelContext,
} from './model-context.js';
import { readToolCalls, type ToolResult } from './tool-calls.js';

/** A call that the user, or the app for the user, is asked about. */
export interface ToolConsent {
  /** As the page declared it. */
  name: string;
  /** What people call it. */
  title: string;
  /** What it does, in the page's words. */
  description: string;
  /** What it is called with. */
  arguments: object;
  /** Of the document that declared it. */
  origin: string;
  /** The page says that it changes nothing. */
  readOnly: boolean;
}

/** What {@link pageTools} takes. */
export interface PageToolsOptions {
  /**
   * Whether a call may run. Asked for every tool but those of the page's own origin that only read. Default: those do not run.
   * @example
   * pageTools({ consent: ({ title }) => confirm(`Run ${title}?`) });
   */
  consent?: (call: ToolConsent) => boolean | Promise<boolean>;
  /**
   * Calls that run at most, in the life of the object.
   * @default 32
   * @example
   * pageTools({ maxCalls: 8 });
   */
  maxCalls?: number;
  /**
   * Where a result is cut.
   * @default 16384
   * @example
   * pageTools({ maxResultChars: 4096 });
   */
  maxResultChars?: number;
  /**
   * Origins of frames whose tools are offered, too.
   * @example
   * pageTools({ origins: ['https://widget.example'] });
   */
  origins?: readonly string[];
  /**
   * Ends the call under way.
   * @example
   * pageTools({ signal: AbortSignal.timeout(30_000) });
   */
  signal?: AbortSignal;
}

/** A tool of the page, for frameworks that run tools themselves. */
export interface PageTool {
  /** Fit for every endpoint. */
  name: string;
  /** What it does, in the page's words. */
  description: string;
  /** A JSON Schema of its arguments. */
  inputSchema: object;
  /** The page says that it changes nothing. */
  readOnly: boolean;
  /** Runs it, with the same checks as `run`. Resolves to a text, also where it did not run. */
  execute: (values: unknown) => Promise<string>;
}

/** Made by {@link pageTools}. */
export interface PageTools {
  /** Whether the browser has `document.modelContext`. */
  readonly supported: boolean;
  /** Calls that ran. */
  readonly calls: number;
  /** The tools that the page has now. */
  list(): Promise<PageTool[]>;
  /** The same as `tools` of `/chat/completions`. */
  chat(): Promise<object[]>;
  /** The same as `tools` of `/responses`. */
  responses(): Promise<object[]>;
  /** The same as `tools` of `/messages`. */
  messages(): Promise<object[]>;
  /**
   * Runs the calls of an answer, one after the other. Resolves to what the next request adds behind it; none: `[]`. Rejects
   * only with the reason of `signal`.
   * @param answer a chat completion, a response or a message
   */
  run(answer: unknown): Promise<object[]>;
}

const MAX_NAME = 64;
const NO_ARGUMENTS = { type: 'object', properties: {} };

/**
 * The tools of `document.modelContext`. Sets no global and registers nothing.
 * @throws never
 * @example
 * const tools = pageTools({ consent: ({ title }) => confirm(`Run ${title}?`) });
 */
export function pageTools(options: PageToolsOptions = {}): PageTools {
  return new DeclaredTools(options);
}

/** A tool, and the name by which models know it. */
interface OfferedTool {
  name: string;
  tool: DeclaredTool;
}

class DeclaredTools implements PageTools {
  readonly #options: PageToolsOptions;
  /** Names that were given stay: a conversation goes on while tools come and go. */
  readonly #names: OfferedTool[] = [];
  readonly #forms = new WeakMap<ModelContext, Promise<'object' | 'text'>>();
  #calls = 0;

  constructor(options: PageToolsOptions) {
    this.#options = options;
  }

  get supported(): boolean {
    return modelContext() !== undefined;
  }

  get calls(): number {
    return this.#calls;
  }

  async list(): Promise<PageTool[]> {
    return (await this.#offered()).map(({ name, tool }) => ({
      name,
      description: tool.description,
      inputSchema: schemaOf(tool),
      readOnly: isReadOnly(tool),
      execute: async (values) => (await this.#call(name, values)).text,
    }));
  }

  async chat(): Promise<object[]> {
    return (await this.list()).map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }));
  }

  async responses(): Promise<object[]> {
    return (await this.list()).map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict: false,
    }));
  }

  async messages(): Promise<object[]> {
    return (await this.list()).map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    }));
  }

  async run(answer: unknown): Promise<object[]> {
    const { calls, write } = readToolCalls(answer);
    const results: ToolResult[] = [];
    for (const call of calls) results.push(await this.#call(call.name, call.arguments));
    return write(results);
  }

  async #offered(): Promise<OfferedTool[]> {
    const context = modelContext();
    if (!context) return [];
    const tools = await declaredTools(context, this.#options.origins ?? []);
    // A fit name stays as it is, so the others give way.
    const fitFirst = tools.toSorted(
      (one, other) => Number(fitName(other) === other.name) - Number(fitName(one) === one.name),
    );
    for (const tool of fitFirst) this.#nameOf(tool);
    return tools.map((tool) => ({ name: this.#nameOf(tool), tool }));
  }

  #nameOf(tool: DeclaredTool): string {
    const known = this.#names.find((each) => isSame(each.tool, tool));
    if (known) return known.name;
    const fit = fitName(tool);
    let name = fit;
    for (let count = 2; this.#names.some((each) => each.name === name); count++) {
      const ending = `_${count}`;
      name = fit.slice(0, MAX_NAME - ending.length) + ending;
    }
    this.#names.push({ name, tool });
    return name;
  }

  /** @throws the reason of the signal */
  async #call(name: string, sent: unknown): Promise<ToolResult> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    try {
      const done = this.#execute(name, sent);
      return this.#cut(false, await (signal ? orAborted(done, signal) : done));
    } catch (thrown) {
      signal?.throwIfAborted();
      return this.#cut(true, `Error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }

  /** @throws what the model is told */
  async #execute(name: string, sent: unknown): Promise<string> {
    const context = modelContext();
    const found = (await this.#offered()).find((each) => each.name === name);
    if (!context || !found) throw new Error(`There is no tool \`${name}\` on this page now.`);
    const { tool } = found;
    const values = toArguments(sent);
    const problem = findProblem(values, schemaOf(tool));
    if (problem !== undefined) throw new Error(problem);
    const { signal, maxCalls = 32 } = this.#options;
    const tooMany = new Error(`No more calls are run: ${maxCalls} have been.`);
    if (this.#calls >= maxCalls) throw tooMany;
    await this.#askFor(tool, values);
    // Much may have happened while the user was asked.
    signal?.throwIfAborted();
    if (this.#calls >= maxCalls) throw tooMany;
    this.#calls += 1;
    const input = (await this.#formOf(context, tool)) === 'object' ? values : JSON.stringify(values);
    const result: unknown = await context.executeTool(tool, input, ...(signal ? [{ signal }] : []));
    return toText(result);
  }

  #formOf(context: ModelContext, tool: DeclaredTool): Promise<'object' | 'text'> {
    const form = this.#forms.get(context) ?? findInputForm(context, tool);
    this.#forms.set(context, form);
    return form;
  }

  /** @throws what the model is told of a refusal */
  async #askFor(tool: DeclaredTool, values: object): Promise<void> {
    const { consent } = this.#options;
    const readOnly = isReadOnly(tool);
    if (readOnly && isOwn(tool)) return;
    const { name, title = '', description, origin = globalThis.location?.origin ?? '' } = tool;
    const isGiven = await consent?.({ name, title, description, arguments: values, origin, readOnly });
    if (isGiven !== true) throw new Error('The user did not allow this call.');
  }

  #cut(isError: boolean, text: string): ToolResult {
    const { maxResultChars = 16_384 } = this.#options;
    const cut = text.slice(0, maxResultChars);
    // Half of a pair of surrogates is not a character.
    return { isError, text: cut.length < text.length ? cut.replace(/[\uD800-\uDBFF]$/, '') : cut };
  }
}

function isReadOnly({ annotations }: DeclaredTool): boolean {
  return annotations?.readOnlyHint === true;
}

function isSame(one: DeclaredTool, other: DeclaredTool): boolean {
  return one.name === other.name && one.origin === other.origin && one.window === other.window;
}

function fitName({ name }: DeclaredTool): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME) || 'tool';
}

function schemaOf({ inputSchema }: DeclaredTool): object {
  if (typeof inputSchema === 'string') return inputSchema === '' ? NO_ARGUMENTS : (JSON.parse(inputSchema) as object);
  return inputSchema ?? NO_ARGUMENTS;
}

/** What a tool gave, which browsers hand on as JSON: a text without its quotes. */
function toText(result: unknown): string {
  if (typeof result !== 'string') return JSON.stringify(result) ?? '';
  try {
    const value: unknown = JSON.parse(result);
    return typeof value === 'string' ? value : result;
  } catch {
    return result;
  }
}

/** @throws what the model is told of arguments that are none */
function toArguments(sent: unknown): object {
  let values = sent;
  try {
    if (typeof sent === 'string') values = JSON.parse(sent === '' ? '{}' : sent);
  } catch {
    throw new Error('The arguments are no JSON.');
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new Error('The arguments must be an object.');
  return values;
}
