/** Public, so it names nothing of WebLLM's own types. @module */

/** A model of the list. Plain data. */
export interface PrebuiltModel {
  /** What goes into `ModelEntry.id` or `source`. */
  id: string;
  /** Hub repository of the weights. */
  repository: string;
  /** Megabytes of GPU memory with the default context. */
  gpuMemoryMB: number | undefined;
  /** Megabytes to download, estimated from parameter count and quantisation in the name; undefined when it names none. */
  downloadMB: number | undefined;
  /** WebGPU features without which it does not run, e.g. `shader-f16`. */
  requiredFeatures: string[];
  /** Also for phones and old chips. */
  lowResource: boolean;
  /** Tokens. */
  contextLength: number | undefined;
  /** `q4f16_1` and the like. */
  quantization: string | undefined;
  /** It takes images. */
  images: boolean;
}
