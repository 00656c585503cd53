/** The notes in two dimensions: what is near means the same, as far as two dimensions can show it. */
import { computed } from '@preact/signals';
import { planeOf, type Point } from './flatten-vectors.js';
import { hits, notes, noteVectors, queryVector } from './note-index.js';

/** Of a side, in the picture's own units; the margin keeps dots whole. */
const SIDE = 200;
const MARGIN = 10;

const plane = computed(() => (noteVectors.value.length > 1 ? planeOf(noteVectors.value) : undefined));

export function NoteMap() {
  const place = plane.value;
  if (!place) return null;
  const points = noteVectors.value.map(place);
  const asked = queryVector.value && place(queryVector.value);
  const fit = fitInto(asked ? [...points, asked] : points);
  const near = new Set(hits.value.map(({ note }) => note));
  return (
    <figure class="card note-map">
      <svg viewBox={`0 0 ${2 * SIDE} ${SIDE}`} role="img" aria-label={`Map of ${points.length} notes`}>
        {points.map((point, index) => {
          const [x, y] = fit(point);
          const note = notes.value[index] ?? '';
          return (
            <circle key={index} cx={x} cy={y} r={near.has(note) ? 4 : 3} data-near={near.has(note)}>
              <title>{note}</title>
            </circle>
          );
        })}
        {asked ? <Query at={fit(asked)} /> : null}
      </svg>
      <figcaption class="quiet">
        Each dot is a note; the ring is the query, the filled dots are nearest to it.
      </figcaption>
    </figure>
  );
}

function Query({ at: [x, y] }: { at: Point }) {
  return <circle class="asked" cx={x} cy={y} r={7} />;
}

/** Stretches the points over the picture. */
function fitInto(points: readonly Point[]): (point: Point) => Point {
  const [left, right] = rangeOf(points.map(([x]) => x));
  const [top, bottom] = rangeOf(points.map(([, y]) => y));
  const scale = (value: number, from: number, to: number, size: number): number =>
    MARGIN + ((value - from) / (to - from || 1)) * (size - 2 * MARGIN);
  return ([x, y]) => [scale(x, left, right, 2 * SIDE), scale(y, top, bottom, SIDE)];
}

function rangeOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
