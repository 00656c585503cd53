/** Tools of a Messages request, and the choice among them. @module */
import * as v from 'valibot';
import type { Tool, ToolChoice } from '../../../core/request/tool.js';
import type { Compatibility } from '../policy/compatibility.js';
import { ignoredToolChosen } from '../endpoint/ignored-tools.js';
import { object, objectOf } from '../fields/json-object.js';
import { defineTools } from '../fields/define-tools.js';
import { MAX_TOOLS, requireTool, requireTools, type SchemaCheck } from '../fields/tools.js';

const name = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,128}$/, 'must match [A-Za-z0-9_-]{1,128}'));

const functionTool = object({
  // Clients send `custom` or nothing; everything else is a tool whose schema its vendor has published, or runs itself.
  type: v.nullish(v.literal('custom')),
  name,
  description: v.nullish(v.string()),
  input_schema: objectOf(v.unknown()),
  strict: v.optional(v.unknown()),
});

const deferrableTool = object({ ...functionTool.entries, defer_loading: v.optional(v.unknown()) });

const vendorClientTool = object({ type: v.string(), name });
const vendorServerTool = object({ type: v.string(), name: v.nullish(v.string()) });

function typeOf(tool: unknown): unknown {
  return typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'type') : undefined;
}

const anyTool = v.lazy((tool) => {
  const type = typeOf(tool);
  if (typeof type !== 'string' || type === 'custom') return deferrableTool;
  return clientTool(type) ? vendorClientTool : vendorServerTool;
});

const TOOLS = { refused: functionTool, known: anyTool };

export function toolsSchema({ otherTools }: Compatibility) {
  return v.nullish(v.pipe(v.array(TOOLS[otherTools]), v.maxLength(MAX_TOOLS)));
}

const disableParallel = { disable_parallel_tool_use: v.nullish(v.boolean()) };

export const toolChoice = v.nullish(
  v.variant('type', [
    object({ type: v.literal('auto'), ...disableParallel }),
    object({ type: v.literal('any'), ...disableParallel }),
    object({ type: v.literal('tool'), name: v.pipe(v.string(), v.minLength(1)), ...disableParallel }),
    object({ type: v.literal('none') }),
  ]),
);

export type ToolsInput = v.InferOutput<ReturnType<typeof toolsSchema>>;
export type ToolChoiceInput = v.InferOutput<typeof toolChoice>;

/**
 * The tools that the client runs, as functions. Those that it loads later come last, in the order in which they were found.
 * An agent adds them in the middle of a conversation, and the prompt before them need not be read again.
 * @param found names of deferred tools, in the order of the conversation
 * @throws InferenceError `invalid_request` for a schema that is none
 */
export function toTools(tools: ToolsInput, found: readonly string[], check: SchemaCheck): Tool[] {
  const ordered = [...(tools ?? []).entries()].toSorted(([, a], [, b]) => rankOf(a, found) - rankOf(b, found));
  return defineTools(
    ordered.flatMap(([index, tool]): Tool[] => {
      const param = `tools.${index}.input_schema`;
      if ('input_schema' in tool) {
        return [
          {
            name: tool.name,
            description: tool.description ?? undefined,
            parameters: tool.input_schema,
            ...(tool.strict === true && { strict: true }),
            param,
          },
        ];
      }
      const published = tool.name == null ? undefined : clientTool(tool.type);
      return published && tool.name != null ? [{ name: tool.name, ...published, param }] : [];
    }),
    check,
  );
}

function rankOf(tool: NonNullable<ToolsInput>[number], found: readonly string[]): number {
  if (!('defer_loading' in tool) || tool.defer_loading !== true || tool.name == null) return -1;
  const rank = found.indexOf(tool.name);
  return rank < 0 ? found.length : rank;
}

/** Types of the tools that are left out, in order. */
export function ignoredTypes(tools: ToolsInput): string[] {
  return listIgnored(tools).map(({ type }) => type);
}

function listIgnored(tools: ToolsInput): { type: string; name?: string | null | undefined }[] {
  return (tools ?? []).flatMap((tool) => ('input_schema' in tool || clientTool(tool.type) ? [] : [tool]));
}

/** @throws InferenceError `invalid_request` for a choice that no tool can satisfy */
export function toToolChoice(choice: ToolChoiceInput, tools: readonly Tool[], sent: ToolsInput): ToolChoice {
  switch (choice?.type) {
    case 'any':
      return requireTools('required', tools);
    case 'tool':
      if (
        !tools.some((tool) => tool.name === choice.name) &&
        listIgnored(sent).some((tool) => tool.name === choice.name)
      ) {
        throw ignoredToolChosen();
      }
      return requireTool(choice.name, tools, 'tool_choice.name');
    case 'none':
      return 'none';
    default:
      return 'auto';
  }
}

export function isParallelDisabled(choice: ToolChoiceInput): boolean {
  return choice != null && choice.type !== 'none' && choice.disable_parallel_tool_use === true;
}

/** What a model is told. */
interface PublishedTool {
  description: string;
  parameters: Record<string, unknown>;
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const oneOf = (...names: string[]) => ({ type: 'string', enum: names });
const list = (items: object, count: number) => ({ type: 'array', items, minItems: count, maxItems: count });

function tool(description: string, properties: Record<string, object>, ...required: string[]): PublishedTool {
  return { description, parameters: { type: 'object', properties, required } };
}

const FILE_FIELDS = {
  path: { ...text, description: 'Absolute path of a file or folder.' },
  view_range: { ...list(integer, 2), description: 'For `view`: first and last line; -1: the end.' },
  file_text: { ...text, description: 'For `create`: the content.' },
  old_str: { ...text, description: 'For `str_replace`: the text to replace, which occurs once.' },
  new_str: { ...text, description: 'For `str_replace`: what replaces it; older versions of `insert`: the new text.' },
  insert_line: { ...integer, description: 'For `insert`: the line after which the text goes.' },
  insert_text: { ...text, description: 'For `insert`: the text.' },
};

const EDITOR = 'Views, creates and edits text files.';

/** By the beginning of the type, behind which a date stands; a longer one comes first. */
const PUBLISHED_TOOLS: Record<string, PublishedTool> = {
  bash_: tool('Runs a command in a shell that stays open between calls. Either `command` or `restart` is given.', {
    command: text,
    restart: { type: 'boolean', description: 'Starts a new shell.' },
  }),
  text_editor_2024: tool(
    EDITOR,
    { command: oneOf('view', 'create', 'str_replace', 'insert', 'undo_edit'), ...FILE_FIELDS },
    'command',
    'path',
  ),
  text_editor_20250124: tool(
    EDITOR,
    { command: oneOf('view', 'create', 'str_replace', 'insert', 'undo_edit'), ...FILE_FIELDS },
    'command',
    'path',
  ),
  text_editor_: tool(
    EDITOR,
    { command: oneOf('view', 'create', 'str_replace', 'insert'), ...FILE_FIELDS },
    'command',
    'path',
  ),
  memory_: tool(
    'Keeps notes in files below /memories, which are there in later conversations, too.',
    {
      command: oneOf('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...FILE_FIELDS,
      old_path: { ...text, description: 'For `rename`.' },
      new_path: { ...text, description: 'For `rename`.' },
    },
    'command',
  ),
  computer_: tool(
    'Looks at the screen and moves mouse and keyboard.',
    {
      action: oneOf(
        'screenshot',
        'key',
        'type',
        'mouse_move',
        'left_click',
        'left_click_drag',
        'right_click',
        'middle_click',
        'double_click',
        'triple_click',
        'left_mouse_down',
        'left_mouse_up',
        'scroll',
        'hold_key',
        'wait',
        'cursor_position',
        'zoom',
      ),
      coordinate: { ...list(integer, 2), description: 'x and y in pixels.' },
      start_coordinate: { ...list(integer, 2), description: 'Where a drag begins.' },
      region: { ...list(integer, 4), description: 'For `zoom`: x and y of two corners.' },
      text: { ...text, description: 'What to type, or the keys to press.' },
      scroll_direction: oneOf('up', 'down', 'left', 'right'),
      scroll_amount: integer,
      duration: { type: 'number', description: 'Seconds.' },
    },
    'action',
  ),
};

/** What Anthropic has published of a type such as `bash_20250124`; undefined: its own servers run it, or it is unknown. */
function clientTool(type: string): PublishedTool | undefined {
  // Sets of tools that a server holds.
  if (type.includes('_toolset_')) return undefined;
  return Object.entries(PUBLISHED_TOOLS).find(([prefix]) => type.startsWith(prefix))?.[1];
}
