/** Packages as one script, for pages whose policy allows no script from elsewhere. */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** The package as code that sets `globalThis[name]`, for `page.evaluate`. */
export async function bundleForPage(packageName: string, name: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    // React reads it, and a page has none.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: false,
      lib: { entry: fileURLToPath(import.meta.resolve(packageName)), formats: ['iife'], name },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (!output || !('output' in output)) throw new Error('Vite built nothing.');
  return `${output.output[0].code}\nglobalThis.${name} = ${name};`;
}
