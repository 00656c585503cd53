/** Why the browser could not load ONNX Runtime: asks the app's server for its files. @module */
import { env } from '@huggingface/transformers';
import { isMissingRuntime, type FileFailure } from '../../common/load-failure.js';

/** Milliseconds for the server to answer. */
const FETCH_TIMEOUT_MS = 10_000;

const COPY_FILES =
  'Run `npx inpage init public` to copy the files of ONNX Runtime into `inpage/`, next to the Service Worker script.';

/** The file that the server does not serve as it should; undefined when the failure has another reason. */
export async function findRuntimeFault(thrown: unknown, signal: AbortSignal): Promise<FileFailure | undefined> {
  const paths = env.backends.onnx.wasm?.wasmPaths;
  if (!isMissingRuntime(thrown) || typeof paths !== 'object') return undefined;
  for (const url of [paths.mjs, paths.wasm]) {
    const fault = url === undefined ? undefined : await probeFile(String(url), signal);
    if (fault) return fault;
  }
  return undefined;
}

async function probeFile(url: string, signal: AbortSignal): Promise<FileFailure | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
  const response = await fetch(url, { cache: 'no-store', signal: limit }).catch(() => undefined);
  // The message of a failed import says as much.
  if (!response) return undefined;
  await response.body?.cancel();
  const type = response.headers.get('content-type') ?? 'no content type';
  const fault = (problem: string): FileFailure => ({ url, httpStatus: response.status, problem });
  if (!response.ok) return fault(`${url} returned status ${response.status}. ${COPY_FILES}`);
  if (type.includes('text/html')) return fault(`${url} returned an HTML page instead of the file. ${COPY_FILES}`);
  // Browsers refuse a module of another type; they compile WebAssembly of any.
  if (url.endsWith('.wasm') || /javascript|ecmascript/.test(type)) return undefined;
  return fault(
    `${url} was served as ${type} instead of JavaScript. Configure your server to send .mjs files as text/javascript.`,
  );
}
