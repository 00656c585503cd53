/** The choice among the tools of a response. @module */
import * as v from 'valibot';
import type { Compatibility } from '../compatibility.js';
import { ignoredToolChosen } from '../fields/ignored-tools.js';
import { object, objectOf } from '../fields/json-object.js';
import { offerAll, offerAllowed, requireTool, type ToolOffer } from '../fields/tools.js';
import type { Tool } from '../../../core/request/tool.js';
import { PUBLISHED_TOOLS } from './published-tools.js';
import type { ToolSet } from './tools.js';

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

const CHOICES = {
  refused: plainChoice,
  known: v.lazy((choice) => {
    if (isAllowed(choice)) return anyAllowed;
    return typeof choice === 'object' && !isNamed(choice) ? typedTool : plainChoice;
  }),
};

export function toolChoiceSchema({ otherTools }: Compatibility) {
  return v.nullish(CHOICES[otherTools]);
}

export type ToolChoiceInput = v.InferOutput<(typeof CHOICES)[keyof typeof CHOICES]>;
type ToolReference = v.InferOutput<typeof namedTool> | v.InferOutput<typeof typedTool>;

/** @throws InferenceError `invalid_request` for a choice that no tool can satisfy */
export function toOffer(choice: ToolChoiceInput | null | undefined, tools: Tool[], set: ToolSet): ToolOffer {
  if (choice == null) return offerAll('auto', tools);
  if (typeof choice === 'string') return offerAll(choice, tools);
  if (choice.type !== 'allowed_tools') {
    const name = offeredName(choice, set);
    if (name === undefined) throw ignoredToolChosen();
    return { tools, toolChoice: requireTool(name, tools, 'tool_choice.name') };
  }
  const names = choice.tools.map((tool) => offeredName(tool, set));
  const isLeft = names.some((name) => name !== undefined);
  if (!isLeft && names.length > 0) throw ignoredToolChosen();
  const kept = names.flatMap((name, index) => (name === undefined ? [] : [{ name, index }]));
  const paramOf = (index: number): string => `tool_choice.tools.${kept[index]?.index ?? index}.name`;
  return offerAllowed({ mode: choice.mode, names: kept.map(({ name }) => name), paramOf }, tools);
}

/** Undefined for a tool that only a hosted service can run. */
function offeredName(tool: ToolReference, set: ToolSet): string | undefined {
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
