/** Sound as bars: of a recording as a whole, or as it is spoken. */
import { useEffect, useState } from 'preact/hooks';

/** Bars of a whole recording. */
const BARS = 120;

/** Quieter than any bar that can be seen. */
const LEAST = 0.02;

interface BarsProps {
  label: string;
  /** 0 to 1, from left to right. */
  levels: readonly number[];
  /** Share that has been heard, 0 to 1. Undefined: not shown. */
  played?: number | undefined;
}

export function Bars({ label, levels, played }: BarsProps) {
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${Math.max(levels.length, 80)} 2`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {levels.map((level, index) => {
        const height = 2 * Math.max(level, LEAST);
        const isAhead = played !== undefined && index >= played * levels.length;
        return (
          <rect key={index} x={index + 0.15} y={1 - height / 2} width={0.7} height={height} data-ahead={isAhead} />
        );
      })}
    </svg>
  );
}

/** Nothing, for a file that this browser cannot decode: the model may still hear it. */
export function Waveform({ file, played }: { file: File; played?: number }) {
  const [peaks, setPeaks] = useState<number[]>([]);
  useEffect(() => {
    let isCurrent = true;
    setPeaks([]);
    peaksOf(file).then(
      (found) => isCurrent && setPeaks(found),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [file]);
  return peaks.length > 0 ? <Bars label={`Waveform of ${file.name}`} levels={peaks} played={played} /> : null;
}

async function peaksOf(file: File): Promise<number[]> {
  // Any rate will do for a picture; 8 kHz is quickest.
  const context = new OfflineAudioContext(1, 1, 8000);
  const samples = (await context.decodeAudioData(await file.arrayBuffer())).getChannelData(0);
  const size = Math.max(1, Math.ceil(samples.length / BARS));
  const peaks = Array.from({ length: Math.ceil(samples.length / size) }, (_, bar) =>
    samples.subarray(bar * size, (bar + 1) * size).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
  );
  const loudest = Math.max(...peaks, LEAST);
  return peaks.map((peak) => peak / loudest);
}
