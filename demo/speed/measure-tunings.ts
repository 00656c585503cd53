/** How fast products are with each tuning of the shaders, also where the engine stops trying. @module */
import { chooseTuning, type TimedWork } from '../../src/engines/gguf/webgpu/choose-tuning.js';
import type { ShaderTuning } from '../../src/engines/gguf/webgpu/shaders/tuning.js';
import { tuneShaders } from '../../src/engines/gguf/webgpu/tune-shaders.js';

export interface Tunings {
  /** The one that the engine takes. */
  chosen: ShaderTuning;
  /** Seconds of the same work, the least of some. */
  row: { lanes: ShaderTuning['lanes']; seconds: number }[];
  tile: { halves: boolean; seconds: number }[];
}

export async function measureTunings(model: Parameters<typeof tuneShaders>[0]): Promise<Tunings> {
  const [row, tile] = [new Map<ShaderTuning['lanes'], number>(), new Map<boolean, number>()];
  const chosen = await tuneShaders(model, async (measure) => {
    const note = async (tuning: ShaderTuning, work: TimedWork): Promise<number> => {
      const seconds = await measure(tuning, work);
      const { lanes, halves } = tuning;
      if (work === 'row') row.set(lanes, Math.min(seconds, row.get(lanes) ?? Infinity));
      else tile.set(halves, Math.min(seconds, tile.get(halves) ?? Infinity));
      return seconds;
    };
    const found = await chooseTuning(note);
    for (const lanes of [16, 32, 64] as const) if (!row.has(lanes)) await note({ ...found, lanes }, 'row');
    for (const halves of [false, true]) if (!tile.has(halves)) await note({ ...found, halves }, 'tile');
    return found;
  });
  return {
    chosen,
    row: [...row].map(([lanes, seconds]) => ({ lanes, seconds })),
    tile: [...tile].map(([halves, seconds]) => ({ halves, seconds })),
  };
}
