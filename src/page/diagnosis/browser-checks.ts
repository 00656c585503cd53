/** What the browser gives this page. @module */
import { findAdapter, ownGpu } from '../../engines/common/find-adapter.js';
import { needsGpu } from './estimate-model.js';
import { type Check, ok, problem, warning } from './finding.js';

/** Bytes below which most chat models do not fit. */
const LITTLE_SPACE = 1_000_000_000;

/** Set by the package's build. */
declare const INPAGE_VERSION: string | undefined;

export const versions: Check = async () => {
  const version = typeof INPAGE_VERSION === 'string' ? INPAGE_VERSION : 'from its source';
  return ok(`inpage ${version}; ${navigator.userAgent}`);
};

export const secureContext: Check = async () =>
  isSecureContext
    ? ok(`${location.origin} is a secure context`)
    : problem(
        `${location.origin} is not a secure context, so Service Workers, WebGPU and file storage are not available`,
        'Serve the page over https, or open it from localhost.',
      );

/** Isolation is what gives WASM several threads. */
export const threads: Check = async ({ serviceWorker }) => {
  if (crossOriginIsolated) return ok(`the page is cross-origin isolated; ${navigator.hardwareConcurrency} cores`);
  const shortcut = serviceWorker === false ? '' : ' Or pass `crossOriginIsolation: true` where you cannot set headers.';
  return warning(
    'the page is not cross-origin isolated, so WASM runs on one thread',
    `Send \`Cross-Origin-Opener-Policy: same-origin\` and \`Cross-Origin-Embedder-Policy: require-corp\` with the page and its scripts.${shortcut}`,
  );
};

export const webgpu: Check = async ({ models }) => {
  const needed = models.filter((entry) => needsGpu(entry) && entry.fallback === undefined).map(({ id }) => `\`${id}\``);
  const adapter = await findAdapter(ownGpu());
  if (!adapter) {
    const message = ownGpu() ? 'WebGPU found no GPU adapter' : 'this browser has no WebGPU';
    return needed.length > 0
      ? problem(
          `${message}, which ${needed.join(', ')} need`,
          'Give them a `fallback` that runs on WASM, or use a browser and a device with WebGPU.',
        )
      : warning(`${message}: models run on WASM`, 'Prefer models below about 0.5 GB, or use a browser with WebGPU.');
  }
  const { info, features, limits } = adapter;
  const name = [info?.vendor, info?.architecture, info?.description].filter(Boolean).join(' ') || 'an adapter';
  const size = `buffers up to ${Math.round(limits.maxBufferSize / 1e6)} MB`;
  if (info?.isFallbackAdapter) {
    return warning(`WebGPU is emulated on the CPU (${name})`, "Use `device: 'wasm'` here, which is faster.");
  }
  return features.has('shader-f16')
    ? ok(`WebGPU on ${name}; 16-bit floats, ${size}`)
    : warning(`WebGPU on ${name} without 16-bit floats, ${size}`, 'Choose q4 or q4f32 files instead of q4f16.');
};

export const storage: Check = async () => {
  const manager = navigator.storage as StorageManager | undefined;
  if (!manager?.getDirectory) {
    return warning(
      'this page has no file storage (OPFS)',
      'Nothing is stored: models are downloaded again on every visit.',
    );
  }
  try {
    await manager.getDirectory();
  } catch (thrown) {
    return warning(
      `the browser refuses file storage: ${String(thrown)}`,
      'This is normal in private windows. Models are downloaded again on every visit.',
    );
  }
  const { quota = 0, usage = 0 } = await manager.estimate();
  const free = quota - usage;
  const message = `${megabytes(free)} of ${megabytes(quota)} are free`;
  return free < LITTLE_SPACE
    ? warning(message, 'Large models do not fit: remove others with `inference.remove(…)`, or free space on the disk.')
    : ok(`${message}${(await manager.persisted()) ? '' : '; the browser may remove files when its disk is full'}`);
};

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
