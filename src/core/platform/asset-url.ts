/** Addresses of files that come with the package. @module */

/**
 * The address of a file from what a bundler put in place of its name: mostly a whole URL. Turbopack puts the path on the page's
 * server there, and the module's place on the disk in place of `import.meta.url`.
 * @param moduleURL `import.meta.url` of the module that names the file
 */
export function assetURL(
  address: string,
  moduleURL: string,
  page: { origin: string } | undefined = globalThis.location,
): URL {
  // The threads of Node have a `location` on the disk, which is of no origin.
  const isServed = moduleURL.startsWith('file:') && page?.origin.startsWith('http');
  return new URL(address, isServed ? page?.origin : moduleURL);
}
