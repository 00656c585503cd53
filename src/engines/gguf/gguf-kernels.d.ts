/** The compiled kernels, as the build provides them (`.ci/gguf-kernels/`). */
declare module 'virtual:gguf-kernels' {
  /**
   * The wasm of a build.
   * @param isByRow with `multiplyByRow`
   * @throws Error when the page's server does not give it
   */
  export function readKernels(build: 'relaxed' | 'pairs' | 'plain', isByRow: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** The wasm of `kernels/probe.ts`. */
  export const probe: Uint8Array<ArrayBuffer>;
}
