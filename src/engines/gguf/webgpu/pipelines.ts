/** The pipelines of a device: each shader is compiled once, and not before it is wanted. @module */

import { type LayoutName, LAYOUTS } from './shaders/bindings.js';

const BINDING_TYPES = { read: 'read-only-storage', write: 'storage', uniform: 'uniform' } as const;
/** `GPUShaderStage.COMPUTE`. */
const COMPUTE = 4;
/** Bytes of the parameters of a dispatch. */
export const PARAMETER_BYTES = 256;

/** A shader that is compiled when it is wanted. */
export interface Pipeline {
  /** What it is, for whoever measures. */
  readonly label: string;
  /** Undefined: it is not compiled. */
  readonly made: GPUComputePipeline | undefined;
  /** Compiles it, once. */
  compile(): Promise<void>;
}

export class Pipelines {
  readonly #device: GPUDevice;
  readonly #layouts = new Map<LayoutName, { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout }>();
  readonly #made = new Map<string, Pipeline>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** How many shaders there are. */
  get count(): number {
    return this.#made.size;
  }

  /** @param code its shader, which decides whether two pipelines are one */
  get(layout: LayoutName, label: string, code: string): Pipeline {
    const key = `${layout}\n${code}`;
    const has = this.#made.get(key);
    if (has) return has;
    const compiling = async (): Promise<void> => {
      pipeline.made = await this.#device.createComputePipelineAsync({
        label,
        layout: this.#layoutOf(layout).pipeline,
        compute: { module: this.#device.createShaderModule({ label, code }), entryPoint: 'main' },
      });
    };
    let compiled: Promise<void> | undefined;
    const pipeline: { -readonly [Field in keyof Pipeline]: Pipeline[Field] } = {
      label,
      made: undefined,
      compile: () => (compiled ??= compiling()),
    };
    this.#made.set(key, pipeline);
    return pipeline;
  }

  /** @param buffers in the order of the bindings; parameters have an offset of their own in each dispatch */
  bind(layout: LayoutName, buffers: readonly (GPUBuffer | undefined)[]): GPUBindGroup {
    const entries = buffers.flatMap((buffer, binding): GPUBindGroupEntry[] => {
      if (!buffer) return [];
      const isUniform = LAYOUTS[layout][binding] === 'uniform';
      return [{ binding, resource: isUniform ? { buffer, offset: 0, size: PARAMETER_BYTES } : { buffer } }];
    });
    return this.#device.createBindGroup({ layout: this.#layoutOf(layout).group, entries });
  }

  #layoutOf(name: LayoutName): { group: GPUBindGroupLayout; pipeline: GPUPipelineLayout } {
    const has = this.#layouts.get(name);
    if (has) return has;
    const entries = LAYOUTS[name].flatMap((type, binding): GPUBindGroupLayoutEntry[] =>
      type === undefined
        ? []
        : [
            {
              binding,
              visibility: COMPUTE,
              buffer: { type: BINDING_TYPES[type], hasDynamicOffset: type === 'uniform' },
            },
          ],
    );
    const group = this.#device.createBindGroupLayout({ entries });
    const pipeline = this.#device.createPipelineLayout({ bindGroupLayouts: [group] });
    const made = { group, pipeline };
    this.#layouts.set(name, made);
    return made;
  }
}
