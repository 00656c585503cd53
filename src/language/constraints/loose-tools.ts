/** Tools whose schemas a grammar cannot express, without what it cannot. @module */
import { isPlainObject } from '../../core/json/is-plain-object.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { JsonSchema, Tool } from '../../core/request/tool.js';
import { SchemaProblem } from '../../core/schema/limits/schema-problem.js';
import { SCHEMA_WORK, WorkBudget } from '../../core/schema/limits/work-budget.js';
import { type SchemaDocument, type SchemaPath, StructureProblem } from '../../core/schema/schema-document.js';
import { SCHEMA_KEYWORDS } from '../../core/schema/schema-keywords.js';
import { tryGrammar } from './check-json-schema.js';

/** A request for the grammar, and what its tools lack there. */
export interface LooseRequest {
  request: GenerationRequest;
  /** Keywords that were left out of schemas, each once. */
  keywords: readonly string[];
}

interface ExpressibleSchema {
  parameters: JsonSchema;
  keywords: readonly string[];
}

/** Schemas that are cached for the next turns of conversations: those of a few agents. */
const MAX_CACHED = 256;
const cache = new Map<string, ExpressibleSchema>();

/** The request as a grammar can express it. Tools that are not loose stay as they are. */
export function withoutInexpressible(request: GenerationRequest): LooseRequest {
  if (!request.tools.some(({ loose }) => loose)) return { request, keywords: [] };
  const keywords = new Set<string>();
  const work = new WorkBudget();
  const tools = request.tools.map((tool): Tool => {
    if (!tool.loose || tool.parameters === undefined) return tool;
    // Nothing is called, so nothing is looked at.
    if (request.toolChoice === 'none') return { ...tool, parameters: AN_OBJECT };
    const expressible = expressibleSchema(tool.parameters, work);
    for (const keyword of expressible.keywords) keywords.add(keyword);
    return { ...tool, parameters: expressible.parameters };
  });
  return { request: { ...request, tools }, keywords: [...keywords] };
}

const AN_OBJECT: JsonSchema = { type: 'object' };

/** More problems than this make a schema that says nothing. */
const MAX_PROBLEMS = 200;

function expressibleSchema(parameters: JsonSchema, work: WorkBudget): ExpressibleSchema {
  const key = JSON.stringify(parameters);
  const found = cache.get(key) ?? mended(parameters, work);
  cache.delete(key);
  cache.set(key, found);
  if (cache.size > MAX_CACHED) cache.delete([...cache.keys()][0]!);
  return found;
}

/** Leaves out one problem after the other. */
function mended(parameters: JsonSchema, work: WorkBudget): ExpressibleSchema {
  const schema = structuredClone(parameters);
  const keywords = new Set<string>();
  for (let problem = 0; problem < MAX_PROBLEMS && work.spent < SCHEMA_WORK; problem++) {
    const found = findProblem(schema, work);
    if (!found) return { parameters: schema, keywords: [...keywords] };
    const removed = leaveOut(schema, found);
    if (removed === undefined) break;
    keywords.add(removed);
  }
  const restricting = typeof parameters === 'object' ? Object.keys(parameters).filter(isKeyword) : [];
  return {
    parameters: AN_OBJECT,
    keywords: [...new Set([...keywords, ...restricting])].filter((each) => each !== 'type'),
  };
}

function isKeyword(name: string): boolean {
  return Object.hasOwn(SCHEMA_KEYWORDS, name);
}

/** Where the first problem lies, step by step from the root; undefined when there is none. */
function findProblem(schema: JsonSchema, work: WorkBudget): readonly (string | number)[] | undefined {
  let paths: SchemaDocument['paths'] = new Map<object, SchemaPath>();
  try {
    tryGrammar(schema, work, (located) => (paths = located), AN_OBJECT);
    return undefined;
  } catch (error) {
    if (error instanceof StructureProblem) return error.path.steps;
    if (!(error instanceof SchemaProblem)) throw error;
    const path = error.node && paths.get(error.node);
    return [...(path?.steps ?? []), ...(error.keyword === undefined ? [] : [error.keyword])];
  }
}

/** What a value is in a schema: a keyword of it stands here. */
interface KeywordPosition {
  schema: Record<string, unknown>;
  keyword: string;
}

/** Leaves out the innermost keyword around a path. @returns its name; undefined when there is none */
function leaveOut(root: JsonSchema, steps: readonly (string | number)[]): string | undefined {
  const found = innermost(root, steps);
  if (!found) return undefined;
  const { schema, keyword } = found;
  const value = schema[keyword];
  delete schema[keyword];
  if (keyword === 'if') for (const branch of ['then', 'else']) delete schema[branch];
  // That more than one alternative may hold is all that is lost.
  if (keyword === 'oneOf' && schema['anyOf'] === undefined && Array.isArray(value) && value.length > 0)
    schema['anyOf'] = value;
  return keyword;
}

function innermost(root: JsonSchema, steps: readonly (string | number)[]): KeywordPosition | undefined {
  let found: KeywordPosition | undefined;
  let at: unknown = root;
  for (let step = 0; step < steps.length && isPlainObject(at);) {
    const keyword = String(steps[step]);
    if (!Object.hasOwn(at, keyword)) break;
    found = { schema: at, keyword };
    const width = stepsTo(keyword, at[keyword]);
    for (let inner = 0; inner < width && at !== undefined; inner++) at = memberOf(at, steps[step + inner]);
    if (width === 0) break;
    step += width;
  }
  return found;
}

/** How many steps lead through a keyword to a schema; 0: it holds none. */
function stepsTo(keyword: string, value: unknown): number {
  switch (isKeyword(keyword) ? SCHEMA_KEYWORDS[keyword] : undefined) {
    case 'schema':
      return 1;
    case 'schema-or-list':
      return Array.isArray(value) ? 2 : 1;
    case 'schema-list':
    case 'schema-map':
    case 'schema-by-pattern':
      return 2;
    default:
      return 0;
  }
}

function memberOf(holder: unknown, step: string | number | undefined): unknown {
  return typeof holder === 'object' && holder !== null && step !== undefined
    ? (Reflect.get(holder, step) as unknown)
    : undefined;
}
