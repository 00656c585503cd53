/** Segments as files that players show under a film. @module */
import type { TimedText } from '../../../core/request/transcription-request.js';

/** SubRip. */
export function toSubRip(segments: readonly TimedText[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${stamp(start, ',')} --> ${stamp(end, ',')}\n${oneLine(text)}\n\n`,
    )
    .join('');
}

/** WebVTT, where `&` and `<` begin markup. */
export function toWebVtt(segments: readonly TimedText[]): string {
  const cues = segments.map(({ start, end, text }) => {
    const escaped = oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `${stamp(start, '.')} --> ${stamp(end, '.')}\n${escaped}\n\n`;
  });
  return `WEBVTT\n\n${cues.join('')}`;
}

/** An empty line would end the cue, an arrow would begin another. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('-->', '->');
}

/** `01:02:03.004`; SubRip has a comma before the milliseconds. */
function stamp(seconds: number, separator: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000);
  const parts = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
    Math.floor(milliseconds / 1000) % 60,
  ];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
