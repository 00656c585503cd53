/** Sound that is sent while it is recorded, with the fields of its request. */
export class LiveSound {
  /** Signed 16-bit numbers, little-endian, one channel. */
  readonly samples: ReadableStream<Uint8Array>;
  /** Samples per second. */
  readonly rate: number;
  readonly fields: Record<string, string>;

  constructor(samples: ReadableStream<Uint8Array>, rate: number, fields: Record<string, string>) {
    this.samples = samples;
    this.rate = rate;
    this.fields = fields;
  }
}
