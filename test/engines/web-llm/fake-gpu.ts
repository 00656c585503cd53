/** A GPU without a GPU. Knows neither Node nor browser. */
const GIGABYTE = 2 ** 30;

/** A strong GPU, to be weakened by tests. */
export const STRONG_LIMITS = {
  maxBufferSize: 4 * GIGABYTE,
  maxStorageBufferBindingSize: 2 * GIGABYTE,
  maxComputeWorkgroupStorageSize: 32768,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxStorageBuffersPerShaderStage: 10,
};

/** A GPU whose devices can be lost from outside. */
export class FakeGpu {
  readonly devices: { lose(reason?: GPUDeviceLostReason): void }[] = [];
  readonly #limits: Partial<typeof STRONG_LIMITS>;
  readonly #features: readonly string[];

  constructor(limits: Partial<typeof STRONG_LIMITS> = {}, features: readonly string[] = ['shader-f16']) {
    this.#limits = limits;
    this.#features = features;
  }

  async requestAdapter(): Promise<GPUAdapter | null> {
    const adapter = {
      limits: { ...STRONG_LIMITS, ...this.#limits },
      features: new Set(this.#features),
      requestDevice: async () => this.#createDevice(),
    };
    return adapter as unknown as GPUAdapter;
  }

  #createDevice(): GPUDevice {
    let lose!: (info: GPUDeviceLostInfo) => void;
    const lost = new Promise<GPUDeviceLostInfo>((resolve) => (lose = resolve));
    const end = (reason: GPUDeviceLostReason = 'unknown'): void => lose({ reason, message: '' } as GPUDeviceLostInfo);
    this.devices.push({ lose: end });
    return { lost, destroy: () => end('destroyed') } as unknown as GPUDevice;
  }
}
