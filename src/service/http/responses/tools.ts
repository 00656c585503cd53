/** Tools of a response: their schemas, the functions that the model is offered, and what a call of each is to the client. @module */
import { readField } from '../validation/read-field.js';
import * as v from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import { customToolParts } from '../fields/custom-tool.js';
import { object, objectOf } from '../fields/json-object.js';
import { defineTools } from '../fields/define-tools.js';
import { functionName, MAX_TOOLS, type SchemaCheck } from '../fields/tools.js';
import type { Tool } from '../../../core/request/tool.js';
import { PUBLISHED_TOOLS, type PublishedName } from './published-tools.js';

const functionTool = object({
  type: v.literal('function'),
  name: functionName,
  description: v.nullish(v.string()),
  parameters: v.nullish(objectOf(v.unknown())),
  strict: v.nullish(v.boolean()),
});

/** One free-text argument; `custom-tool.ts` says what becomes of its grammar. */
const customTool = object({
  type: v.literal('custom'),
  name: functionName,
  description: v.nullish(v.string()),
  format: v.nullish(
    v.variant('type', [
      object({ type: v.literal('text') }),
      object({ type: v.literal('grammar'), syntax: v.picklist(['lark', 'regex']), definition: v.string() }),
    ]),
  ),
});

const plainTool = v.variant('type', [functionTool, customTool]);

/** A tool that the client runs by a schema that is published; a search brings its own. */
const publishedTool = object({
  type: v.picklist(Object.keys(PUBLISHED_TOOLS) as PublishedName[]),
  description: v.nullish(v.string()),
  parameters: v.nullish(objectOf(v.unknown())),
});

/** What only a hosted service runs. Its fields say nothing here, but are repeated in the answer. */
const otherTool = v.pipe(
  objectOf(v.unknown()),
  v.transform((sent) => ({ type: 'other' as const, sent })),
);

/** Searches files where one of its stores is here; only then its fields are looked at. */
const fileSearchTool = v.looseObject({ type: v.literal('file_search') });

const nestedTool = v.lazy((tool) => (isPlain(readField(tool, 'type')) ? plainTool : otherTool));

/** Functions of one origin, such as an MCP server. Codex finds a call only by the bare name and the namespace. */
const namespaceTool = object({
  type: v.literal('namespace'),
  name: v.pipe(v.string(), v.minLength(1)),
  description: v.nullish(v.string()),
  tools: v.pipe(v.array(nestedTool), v.maxLength(MAX_TOOLS)),
});

const anyTool = v.lazy((tool) => {
  const type = readField(tool, 'type');
  if (isPlain(type)) return plainTool;
  if (type === 'namespace') return namespaceTool;
  if (type === 'file_search') return fileSearchTool;
  return isRunByClient(tool) ? publishedTool : otherTool;
});

/** Also what has no type at all: the plain schema says what is missing. */
function isPlain(type: unknown): boolean {
  return typeof type !== 'string' || type === 'function' || type === 'custom';
}

function isRunByClient(tool: unknown): boolean {
  const type = readField(tool, 'type');
  if (type === 'tool_search') return readField(tool, 'execution') === 'client';
  // A shell may run in a container of the service.
  if (type === 'shell') return !String(readField(readField(tool, 'environment'), 'type')).startsWith('container');
  return type === 'apply_patch' || type === 'local_shell';
}

const TOOLS = { refused: v.variant('type', [functionTool, customTool, fileSearchTool]), known: anyTool };

export function toolsSchema({ otherTools }: Compatibility) {
  return v.pipe(v.array(TOOLS[otherTools]), v.maxLength(MAX_TOOLS));
}

export type ToolInput = v.InferOutput<(typeof TOOLS)[keyof typeof TOOLS]>;
type PlainTool = v.InferOutput<typeof plainTool>;

/** What a call of the model is to the client. */
export type CallForm =
  | { type: 'function_call'; name: string; namespace?: string }
  | { type: 'custom_tool_call'; name: string; namespace?: string }
  | { type: PublishedName };

/** The tools of a request and of the searches in its history. */
export class ToolSet {
  readonly #definitions: Tool[] = [];
  readonly #forms = new Map<string, CallForm>();
  readonly #ignored: string[] = [];
  readonly #searching: ReadonlySet<ToolInput>;

  /** @param searching those that search files here */
  constructor(searching: readonly ToolInput[] = []) {
    this.#searching = new Set(searching);
  }

  /** @param param dotted path of the list */
  add(tools: readonly ToolInput[], param: string): void {
    for (const [index, tool] of tools.entries()) this.#add(tool, `${param}.${index}`);
  }

  /** As functions. @throws InferenceError `invalid_request` for parameters that are no JSON Schema */
  define(check: SchemaCheck): Tool[] {
    return defineTools(this.#definitions, check);
  }

  /** Types of the tools that are left out, in order. */
  get ignored(): readonly string[] {
    return this.#ignored;
  }

  /** What a call is to the client. A name that was not offered stays as the model wrote it, unless one function has it. */
  formOf(called: string): CallForm {
    const form = this.#forms.get(called);
    if (form) return form;
    const bare = [...this.#forms.values()].filter((each) => 'name' in each && each.name === called);
    return bare.length === 1 ? bare[0]! : { type: 'function_call', name: called };
  }

  /** What the model knows a function as. */
  nameOf(name: string, namespace: string | null | undefined): string {
    for (const [offered, form] of this.#forms) {
      if ('name' in form && form.name === name && form.namespace === (namespace ?? undefined)) return offered;
    }
    return namespace == null ? name : qualified(name, namespace);
  }

  #add(tool: ToolInput, path: string): void {
    switch (tool.type) {
      case 'function':
      case 'custom':
        return this.#addPlain(tool, path);
      case 'namespace':
        for (const [index, nested] of tool.tools.entries()) {
          if (nested.type === 'other') this.#ignored.push(String(nested.sent['type']));
          else this.#addPlain(nested, `${path}.tools.${index}`, tool);
        }
        return;
      case 'file_search':
        if (!this.#searching.has(tool)) this.#ignored.push(tool.type);
        return;
      case 'other':
        this.#ignored.push(String(tool.sent['type']));
        return;
      default: {
        const { description, parameters } = PUBLISHED_TOOLS[tool.type];
        this.#offer(
          tool.type,
          { type: tool.type },
          {
            description: tool.description ?? description,
            parameters: tool.parameters ?? parameters,
            param: `${path}.parameters`,
          },
        );
      }
    }
  }

  #addPlain(tool: PlainTool, path: string, space?: { name: string; description?: string | null | undefined }): void {
    const isCustom = tool.type === 'custom';
    const parts = isCustom
      ? customToolParts(tool.description, tool.format)
      : {
          description: tool.description ?? undefined,
          parameters: tool.parameters ?? undefined,
          ...(tool.strict === true && { strict: tool.strict }),
        };
    const named = { name: tool.name, ...(space && { namespace: space.name }) };
    const form: CallForm = { type: isCustom ? 'custom_tool_call' : 'function_call', ...named };
    this.#offer(space ? qualified(tool.name, space.name) : tool.name, form, { ...parts, param: `${path}.parameters` });
  }

  /** Of several plain functions with one name the first counts; the same name of another origin gets a number. */
  #offer(name: string, form: CallForm, definition: Omit<Tool, 'name'>): void {
    let offered = name;
    for (let number = 2; this.#isTaken(offered, form); number++) offered = `${name}_${number}`;
    this.#definitions.push({ ...definition, name: offered });
    if (!this.#forms.has(offered)) this.#forms.set(offered, form);
  }

  #isTaken(name: string, form: CallForm): boolean {
    const other = this.#forms.get(name);
    return other !== undefined && spaceOf(other) !== spaceOf(form);
  }
}

function spaceOf(form: CallForm): string {
  return 'name' in form ? `${form.namespace ?? ''} ${form.name}` : form.type;
}

/** With letters, digits, underscores and dashes only, as every name of a function. */
function qualified(name: string, namespace: string): string {
  const space = namespace.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return space.endsWith('__') ? space + name : `${space}__${name}`;
}

/** Hosted services show every field of a function, and of a custom tool those that it has. */
export function toEchoedTool(tool: ToolInput): object {
  if (tool.type === 'other') return tool.sent;
  if (tool.type === 'custom') return { ...tool, format: tool.format ?? { type: 'text' } };
  if (tool.type !== 'function') return tool;
  const { description = null, parameters = null, strict = null, ...rest } = tool;
  return { ...rest, description, parameters, strict };
}
