/** One figure of the last requests, a bar each, with its axes. */
import { useId } from 'preact/hooks';

/** Bars shown. */
const BARS = 24;

interface ChartProps {
  /** With its unit. */
  title: string;
  unit: string;
  /** Oldest first; undefined: that request has no such figure. */
  values: readonly (number | undefined)[];
}

export function Chart({ title, unit, values }: ChartProps) {
  const id = useId();
  const shown = values.slice(-BARS);
  const known = shown.filter((value) => value !== undefined);
  const top = roundUp(Math.max(0, ...known));
  const last = known.at(-1);
  return (
    <figure class="card chart" aria-labelledby={id}>
      <figcaption id={id}>
        {title} <b>{last === undefined ? '–' : `${shortNumber(last)} ${unit}`}</b>
      </figcaption>
      <div class="plot" aria-hidden="true">
        <span class="most">
          {shortNumber(top)} {unit}
        </span>
        <svg viewBox="0 0 240 60" preserveAspectRatio="none">
          <path d="M0 0H240M0 30H240" />
          {shown.map((value = 0, index) => {
            const height = (60 * value) / top;
            return <rect key={index} x={index * 10 + 1} y={60 - height} width={8} height={height} />;
          })}
        </svg>
        <span class="least">0</span>
        <span class="along">
          {shown.length === 1 ? 'the only request' : `the last ${shown.length} requests, newest on the right`}
        </span>
      </div>
    </figure>
  );
}

/** The next number that begins with 1, 2 or 5 and is else zeros. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
}

/** Three figures where there are that many. */
export function shortNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}
