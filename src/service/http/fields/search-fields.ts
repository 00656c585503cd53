/** Fields of searches in files, of vector stores and of the tool `file_search`: their schemas, and the search that they become. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { recordOf } from '../../../core/schema/record-of.js';
import type { Catalog } from '../../../core/models/catalog.js';
import type { Filter } from '../../files/filters.js';
import type { Weights } from '../../files/rank-chunks.js';
import type { Search } from '../../files/search-store.js';
import { object, withoutArrays } from './json-object.js';
import { maxCharacters } from './max-characters.js';

const MOST = { attributes: 16, key: 64, value: 512, depth: 8, parts: 100, results: 50 };

/** JSON has numbers that are too large for one, such as 1e999. */
const number = v.pipe(v.number(), v.finite('must be a finite number'));
const key = v.pipe(v.string(), v.minLength(1), maxCharacters(MOST.key));
const attribute = v.union([v.pipe(v.string(), maxCharacters(MOST.value)), number, v.boolean()]);

/** What a client says of a file, for filters. */
export const attributes = v.pipe(
  recordOf(key, attribute),
  v.check((sent) => Object.keys(sent).length <= MOST.attributes, `must have at most ${MOST.attributes} pairs`),
);

const value = v.union([v.string(), number, v.boolean()]);
const comparison = (types: readonly ['eq', 'ne', 'gt', 'gte', 'lt', 'lte']) =>
  object({ type: v.picklist(types), key: v.string(), value });
const membership = object({ type: v.picklist(['in', 'nin']), key: v.string(), value: v.array(value) });
const combination = object({
  type: v.picklist(['and', 'or']),
  filters: v.array(v.lazy((): v.GenericSchema<Filter> => part)),
});

/** One part of a filter, which may hold others. */
const part: v.GenericSchema<Filter> = withoutArrays(
  v.variant('type', [comparison(['eq', 'ne', 'gt', 'gte', 'lt', 'lte']), membership, combination]),
);

const filters = v.pipe(
  part,
  v.check((filter) => depthOf(filter) <= MOST.depth, `must not be nested more than ${MOST.depth} levels deep`),
  v.check((filter) => countParts(filter) <= MOST.parts, `must have at most ${MOST.parts} parts`),
);

function depthOf(filter: Filter): number {
  return 'filters' in filter ? 1 + Math.max(0, ...filter.filters.map(depthOf)) : 1;
}

function countParts(filter: Filter): number {
  return 'filters' in filter ? filter.filters.reduce((sum, each) => sum + countParts(each), 1) : 1;
}

const weight = v.pipe(number, v.minValue(0));
const rankingOptions = object({
  ranker: v.nullish(v.string()),
  score_threshold: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  hybrid_search: v.nullish(
    v.pipe(
      object({ embedding_weight: weight, text_weight: weight }),
      v.check(({ embedding_weight: one, text_weight: other }) => one + other > 0, 'must have a weight above 0'),
    ),
  ),
});

/** How a search is narrowed and ranked. */
export const searchFields = {
  filters: v.nullish(filters),
  max_num_results: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST.results))),
  ranking_options: v.nullish(rankingOptions),
};

type SearchFields = v.InferOutput<v.ObjectSchema<typeof searchFields, undefined>>;

/** Rankers of the hosted service: the model that the app names, where it names one. */
const USUAL_RANKERS = ['auto', 'default-2024-11-15'];

/**
 * @param param path of the fields, with a dot at its end
 * @throws InferenceError `invalid_request` for a ranker that is not there
 */
export function toSearch(
  { filters: filter, max_num_results: limit, ranking_options: options }: SearchFields,
  {
    usual,
    param,
    catalog,
    rerankModel,
  }: { usual: number; param: string; catalog: Catalog; rerankModel: string | undefined },
): Omit<Search, 'stores' | 'queries'> {
  const { ranker, score_threshold: threshold, hybrid_search: hybrid } = options ?? {};
  return {
    filter: filter ?? undefined,
    limit: limit ?? usual,
    threshold: threshold ?? 0,
    weights: toWeights(hybrid),
    ranker: rankerOf(ranker ?? 'auto', `${param}ranking_options.ranker`, catalog, rerankModel),
  };
}

/** By the larger one: the sum of two large weights is no number. */
function toWeights(hybrid: { embedding_weight: number; text_weight: number } | null | undefined): Weights {
  const { embedding_weight: vectors, text_weight: words } = hybrid ?? { embedding_weight: 1, text_weight: 1 };
  const larger = Math.max(vectors, words);
  return { vectors: vectors / larger, words: words / larger };
}

function rankerOf(
  ranker: string,
  param: string,
  catalog: Catalog,
  rerankModel: string | undefined,
): string | undefined {
  if (ranker === 'none') return undefined;
  if (USUAL_RANKERS.includes(ranker)) return rerankModel;
  const entry = catalog
    .usable()
    .find(({ id, aliases, task }) => task === 'rerank' && (id === ranker || aliases?.includes(ranker)));
  if (entry) return entry.id;
  const known = [...USUAL_RANKERS, 'none'].map((name) => `\`${name}\``).join(', ');
  const message = `\`${param}\` must be ${known} or the id of a model of the task \`rerank\`.`;
  throw new InferenceError('invalid_request', message, { param });
}
