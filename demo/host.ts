/** A page without interface: starts inference with the options in the URL's hash. Tests drive the service through it. */
import { diagnose, type InferenceOptions, startInference } from 'inpage';

declare global {
  interface Window {
    inference?: Awaited<ReturnType<typeof startInference>>;
    startInference: typeof startInference;
    diagnose: typeof diagnose;
    /** Why it did not start. */
    inferenceError?: string;
  }
}

Object.assign(window, { diagnose, startInference });
try {
  const hash = decodeURIComponent(location.hash.slice(1));
  window.inference = await startInference(hash ? (JSON.parse(hash) as InferenceOptions) : {});
} catch (error) {
  window.inferenceError = error instanceof Error ? error.message : String(error);
}
