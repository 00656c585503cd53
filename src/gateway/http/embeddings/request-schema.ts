/** The body of `POST /embeddings`. @module */
import * as v from 'valibot';

/** As many inputs as OpenAI takes in one request. */
const MOST_INPUTS = 2048;

const tokens = v.array(v.pipe(v.number(), v.integer(), v.minValue(0)));

/** A list of at least one and at most {@link MOST_INPUTS} inputs. */
const some = <const Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(MOST_INPUTS));

/** In the field order of the specification. `user` is accepted and ignored, like every unknown field. */
export const embeddingsRequestSchema = v.object({
  /** One text or token array, or several. */
  input: v.union([v.string(), some(v.string()), tokens, some(tokens)]),
  model: v.string(),
  encoding_format: v.nullish(v.picklist(['float', 'base64'])),
  dimensions: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

export type EmbeddingsRequest = v.InferOutput<typeof embeddingsRequestSchema>;
