/** Entry of a thread of the GGUF engine: computes its share of what the model's worker computes. @module */
import type { KernelExports } from './kernel-exports.js';
import { ThreadJobs } from './thread-jobs.js';

/** What a thread begins with. */
export interface ThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Where the jobs are in memory. */
  jobs: number;
  thread: number;
  threads: number;
  /** Where this thread's scratch is. */
  scratch: number;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<ThreadStart>) => {
  void serve(data);
});

async function serve({ module, memory, jobs, ...thread }: ThreadStart): Promise<void> {
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  globalThis.postMessage('ready');
  new ThreadJobs(memory.buffer, jobs, exports as unknown as KernelExports, thread).serve();
}
