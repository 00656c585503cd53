import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sniffAudio } from '../../../src/core/media/sniff-audio.js';

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/audio/${name}`, import.meta.url)));

describe('sniffAudio', () => {
  it.each([
    ['en-2.mp3', 'mpeg'],
    ['en-2.flac', 'flac'],
    ['en-2.ogg', 'ogg'],
    ['en-2.opus.ogg', 'ogg'],
    ['en-2.webm', 'webm'],
    ['en-2.m4a', 'mp4'],
    ['en-2.mp4', 'mp4'],
    ['en-2.aac', 'aac'],
  ] as const)('knows %s', (name, container) => {
    expect(sniffAudio(fixture(name))).toBe(container);
  });

  it('knows an MP3 without a tag, and one behind a tag and zeros', () => {
    const frame = [0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0, 0, 0, 0, 0];
    expect(sniffAudio(Uint8Array.from(frame))).toBe('mpeg');
    const tag = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 2, 9, 9];
    expect(sniffAudio(Uint8Array.from([...tag, 0, 0, 0, ...frame]))).toBe('mpeg');
  });

  it('knows nothing else', () => {
    const texts = ['This is a text file.', '<!doctype html><html>', '{"a": 1, "b": 2, "c": 3}', ''];
    for (const text of texts) expect(sniffAudio(new TextEncoder().encode(text))).toBeUndefined();
    expect(sniffAudio(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]))).toBeUndefined();
    expect(sniffAudio(Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]))).toBeUndefined();
    expect(sniffAudio(new Uint8Array(64).fill(0xff))).toBeUndefined();
  });
});
