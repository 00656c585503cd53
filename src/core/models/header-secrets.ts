/** What must not be shown or kept of the headers of a remote service. @module */

/** Shorter header values are no secrets, e.g. `gzip`. */
const MIN_SECRET_LENGTH = 6;

/** The values of headers, and the words in them (`Bearer …`), the longest first. */
export function extractSecrets(headers: Headers): string[] {
  const values = [...headers.values()].flatMap((value) => [value, ...value.split(/[\s,;=]+/)]);
  return [...new Set(values)]
    .filter((value) => value.length >= MIN_SECRET_LENGTH && value.toLowerCase() !== 'bearer')
    .toSorted((left, right) => right.length - left.length);
}

/** Texts that a service must not show: keys of its clients, and credentials of its remote models. */
export function secretsOfOptions({ apiKeys = [], models = [] }: SecretiveOptions): string[] {
  const keys = apiKeys.map((key) => (typeof key === 'string' ? key : key.key));
  return [...keys, ...models.flatMap(({ headers }) => extractSecrets(new Headers(headers)))];
}

interface SecretiveOptions {
  apiKeys?: readonly (string | { key: string })[] | undefined;
  models?: readonly { headers?: Record<string, string> }[] | undefined;
}
