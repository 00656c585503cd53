/** Which tools of a response may or must be called: its schema, and what is offered. @module */
import * as v from 'valibot';
import type { Tool } from '../../../core/request/tool.js';
import { ignoredToolChosen } from '../endpoint/ignored-tools.js';
import { object, objectOf } from '../fields/json-object.js';
import { offerAll, offerAllowed, requireTool, type ToolOffer } from '../fields/tools.js';
import type { Compatibility } from '../policy/compatibility.js';
import { PUBLISHED_TOOLS } from './published-tools.js';
import type { ToolSet } from './tools.js';

/** The choice among the tools of a response. */
const namedTool = object({
  type: v.picklist(['function', 'custom']),
  name: v.pipe(v.string(), v.minLength(1)),
  namespace: v.nullish(v.string()),
});

/** A tool that its type names. */
const typedTool = v.pipe(
  objectOf(v.unknown()),
  v.transform((sent) => ({ type: 'typed' as const, name: String(sent['type']) })),
);

const anyTool = v.lazy((tool) => (isNamed(tool) ? namedTool : typedTool));

function isNamed(choice: unknown): boolean {
  const type: unknown = typeof choice === 'object' && choice !== null ? Reflect.get(choice, 'type') : undefined;
  return typeof type !== 'string' || namedTool.entries.type.options.some((each) => each === type);
}

const MODES = v.picklist(['none', 'auto', 'required']);

function allowedTools<const Item extends v.GenericSchema>(item: Item) {
  return object({ type: v.literal('allowed_tools'), mode: v.picklist(['auto', 'required']), tools: v.array(item) });
}

const plainChoice = v.union([MODES, v.variant('type', [namedTool, allowedTools(namedTool)])]);

const isAllowed = (choice: unknown): boolean => v.is(v.object({ type: v.literal('allowed_tools') }), choice);
const anyAllowed = allowedTools(anyTool);

/** As far as files are searched here. */
const searchTool = object({ type: v.literal('file_search') });

const CHOICES = {
  refused: v.union([
    MODES,
    v.variant('type', [namedTool, searchTool, allowedTools(v.variant('type', [namedTool, searchTool]))]),
  ]),
  known: v.lazy((choice) => {
    if (isAllowed(choice)) return anyAllowed;
    return typeof choice === 'object' && !isNamed(choice) ? typedTool : plainChoice;
  }),
};

export function toolChoiceSchema({ otherTools }: Compatibility) {
  return v.nullish(CHOICES[otherTools]);
}

type ToolChoiceInput = v.InferOutput<(typeof CHOICES)[keyof typeof CHOICES]>;
type ToolReference =
  | v.InferOutput<typeof namedTool>
  | v.InferOutput<typeof typedTool>
  | v.InferOutput<typeof searchTool>;

/** @throws InferenceError `invalid_request` for a choice that no tool can satisfy */
export function toOffer(
  choice: ToolChoiceInput | null | undefined,
  tools: Tool[],
  { set, searches }: { set: ToolSet; searches: boolean },
): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  // A search is made in any case, so what demands one is met.
  if (typeof choice === 'string')
    return offerAll(choice === 'required' && searches && tools.length === 0 ? 'auto' : choice, tools);
  if (choice.type !== 'allowed_tools') {
    if (searches && isSearch(choice)) return offerAll('auto', tools);
    const name = offeredName(choice, set);
    if (name === undefined) throw ignoredToolChosen();
    return { tools, toolChoice: requireTool(name, tools, 'tool_choice.name') };
  }
  const names = choice.tools.map((tool) => offeredName(tool, set));
  const isSearching = searches && choice.tools.some(isSearch);
  const isLeft = isSearching || names.some((name) => name !== undefined);
  if (!isLeft && names.length > 0) throw ignoredToolChosen();
  const offered = names.flatMap((name, index) => (name === undefined ? [] : [{ name, index }]));
  const paramOf = (index: number): string => `tool_choice.tools.${offered[index]?.index ?? index}.name`;
  const mode = isSearching && offered.length === 0 ? 'auto' : choice.mode;
  return offerAllowed({ mode, names: offered.map(({ name }) => name), paramOf }, tools);
}

const isSearch = (tool: ToolReference): boolean =>
  tool.type === 'file_search' || (tool.type === 'typed' && tool.name === 'file_search');

/** Whether the choice lets files be searched. */
export function allowsSearch(choice: ToolChoiceInput | null | undefined): boolean {
  if (choice == null || typeof choice === 'string') return choice !== 'none';
  return choice.type === 'allowed_tools' ? choice.tools.some(isSearch) : isSearch(choice);
}

/** Undefined for a tool that only a hosted service can run. */
function offeredName(tool: ToolReference, set: ToolSet): string | undefined {
  if (tool.type === 'file_search') return undefined;
  if (tool.type !== 'typed') return set.nameOf(tool.name, tool.namespace);
  const isPublished = Object.hasOwn(PUBLISHED_TOOLS, tool.name) && !set.ignored.includes(tool.name);
  return isPublished ? tool.name : undefined;
}

/** As it was sent. */
export function toEchoedChoice(choice: ToolChoiceInput | null | undefined): string | object {
  if (choice == null) return 'auto';
  if (typeof choice === 'string') return choice;
  if (choice.type === 'typed') return { type: choice.name };
  if (choice.type !== 'allowed_tools') return choice;
  const tools = choice.tools.map((tool) => (tool.type === 'typed' ? { type: tool.name } : tool));
  return { ...choice, tools };
}
