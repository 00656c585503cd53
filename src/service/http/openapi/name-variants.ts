/** Names for the objects that a value may be one of. @module */
import { type JsonSchema, ref } from './json-schema.js';

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The words that choose between schemas. */
const CHOICES = ['anyOf', 'oneOf'] as const;

/**
 * The same schema, whose choices are between named schemas at any depth: generators of clients make a class of each, and some
 * fail at choices of nameless objects inside of one another.
 * @param name of the schema, with which the names of its parts begin
 * @param components what the named schemas are added to
 */
export function nameVariants(schema: JsonSchema, name: string, components: Record<string, JsonSchema>): JsonSchema {
  const parts = Object.entries(schema).map(([word, value]): [string, unknown] => {
    if (isChoice(word) && Array.isArray(value))
      return [word, variantsOf(value as JsonSchema[]).map((variant) => named(variant, name, components))];
    if (word === 'properties' && isObject(value)) {
      const properties = Object.entries(value).map(([property, inner]) => [
        property,
        nameVariants(inner as JsonSchema, name + inName(property), components),
      ]);
      return [word, Object.fromEntries(properties)];
    }
    return [word, word === 'items' && isObject(value) ? nameVariants(value, `${name}Item`, components) : value];
  });
  return Object.fromEntries(parts);
}

const isChoice = (word: string): boolean => (CHOICES as readonly string[]).includes(word);

/** With those of a choice inside of the choice. */
function variantsOf(variants: readonly JsonSchema[]): JsonSchema[] {
  return variants.flatMap((variant) => {
    const [word, ...more] = Object.keys(variant);
    const isOnlyChoice = word !== undefined && more.length === 0 && isChoice(word);
    return isOnlyChoice ? variantsOf(variant[word] as JsonSchema[]) : [variant];
  });
}

function named(variant: JsonSchema, name: string, components: Record<string, JsonSchema>): JsonSchema {
  const { properties, items } = variant;
  if (isObject(items) && isObject(items['properties'])) return { ...variant, items: named(items, name, components) };
  if (!isObject(properties)) return nameVariants(variant, name, components);
  const wanted = name + inName(typeOf(properties));
  let free = wanted;
  for (let count = 2; free in components; count += 1) free = `${wanted}${count}`;
  // Its name is taken before those of its parts.
  components[free] = {};
  components[free] = nameVariants(variant, free, components);
  return ref(free);
}

/** What the objects of a variant have as their `type` or `role`. */
function typeOf({ type, role }: JsonSchema): string {
  const value = [type, role].flatMap((each) => (isObject(each) ? [each['const']] : [])).find(Boolean);
  return typeof value === 'string' ? value : 'other';
}

/** `input_text` as `InputText`. */
function inName(words: string): string {
  return words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
