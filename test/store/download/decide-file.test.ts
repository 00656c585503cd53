import { describe, expect, it } from 'vitest';
import {
  type ExpectedFile,
  type FileMetadata,
  type FileStatus,
  newMetadata,
} from '../../../src/store/storage/byte-storage.js';
import { compareStated, decideFile, decideLocked, type FileFacts } from '../../../src/store/download/decide-file.js';

const NOW = 1_700_000_000_000;
const SHA = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);

function record(changes: Partial<FileMetadata> = {}): FileMetadata {
  const place = { model: 'https://host/m/', file: 'f' };
  return { ...newMetadata(place, 'https://host/m/f', 4), state: 'complete', size: 6, hashes: ['p', 'q'], ...changes };
}

function stored(changes: Partial<FileMetadata> = {}, untouched = true): FileStatus {
  return { metadata: record(changes), bytes: 6, untouched };
}

function decide(facts: Partial<FileFacts>): string {
  const none = { stored: undefined, stated: undefined, listsAll: false, isPinned: false, isPicking: false };
  return decideFile({ ...none, now: NOW, ...facts });
}

describe('a file', () => {
  it.each<[string, Partial<FileFacts>, string]>([
    ['of which nothing is stored is fetched', {}, 'fetch'],
    ['that came in part is fetched', { stored: stored({ state: 'partial' }, false) }, 'fetch'],
    ['whose bytes were changed is fetched', { stored: stored({}, false), stated: { sha256: SHA } }, 'fetch'],
    ['that a manifest does not name is missing', { stored: stored(), listsAll: true }, 'missing'],
    ['of which nothing is stated is asked about', { stored: stored() }, 'ask'],
    ['of a hub that is empty is asked about', { stored: stored({ size: 0 }), isPinned: true }, 'ask'],
    ['that was picked is used without a question', { stored: stored({ picked: true }) }, 'use'],
    [
      'that was picked is asked about when others are picked',
      { stored: stored({ picked: true }), isPicking: true },
      'ask',
    ],
    [
      'that was picked is not another than its source states',
      { stored: stored({ picked: true, sha256: OTHER }), stated: { sha256: SHA } },
      'fetch',
    ],
    ['of a hub is used without a question', { stored: stored(), isPinned: true }, 'use'],
    ['that has the stated hash is used', { stored: stored({ sha256: SHA }), stated: { sha256: SHA } }, 'use'],
    ['that has another hash is fetched', { stored: stored({ sha256: OTHER }), stated: { sha256: SHA } }, 'fetch'],
    ['whose hash nobody computed is hashed', { stored: stored(), stated: { sha256: SHA } }, 'hash'],
    ['that was missing is asked for again', { stored: stored({ state: 'absent', absentSince: NOW }, false) }, 'ask'],
    [
      'that a hub did not have a minute ago is not asked for again',
      { stored: stored({ state: 'absent', absentSince: NOW - 60_000 }, false), isPinned: true },
      'use',
    ],
    [
      'that a hub did not have an hour ago is asked for again',
      { stored: stored({ state: 'absent', absentSince: NOW - 3_600_000 }, false), isPinned: true },
      'ask',
    ],
    [
      'that no model runs without is asked for again',
      { stored: stored({ state: 'absent', absentSince: NOW, file: 'model.onnx' }, false), isPinned: true },
      'ask',
    ],
    [
      'that was missing and is stated is fetched',
      { stored: stored({ state: 'absent', absentSince: NOW }, false), stated: { sha256: SHA }, isPinned: true },
      'fetch',
    ],
    ['of which only the size is stated is asked about', { stored: stored(), stated: { bytes: 6 } }, 'ask'],
  ])('%s', (_, facts, decision) => {
    expect(decide(facts)).toBe(decision);
  });
});

describe('a complete file', () => {
  it.each<[string, Partial<FileMetadata>, ExpectedFile | undefined, string]>([
    ['of which nothing is stated is right', {}, undefined, 'same'],
    ['of which only the size is stated is right', {}, { bytes: 7 }, 'same'],
    ['of another size is another', {}, { bytes: 7, sha256: SHA }, 'other'],
    ['is compared part by part', {}, { partBytes: 4, parts: ['p', 'q'], sha256: SHA }, 'same'],
    ['with one other part is another', {}, { partBytes: 4, parts: ['p', 'x'] }, 'other'],
    [
      'with parts of another length is compared by its hash',
      {},
      { partBytes: 2, parts: ['p'], sha256: SHA },
      'unknown',
    ],
    ["with git's name is right once it was compared", { verified: true }, { gitBlob: 'c' }, 'same'],
    ["with git's name that nobody compared is another", { verified: false }, { gitBlob: 'c' }, 'other'],
  ])('%s', (_, changes, stated, comparison) => {
    expect(compareStated(record(changes), stated)).toBe(comparison);
  });
});

describe('under the lock', () => {
  it.each<[string, FileStatus | undefined, FileStatus | undefined, string]>([
    ['a file that nobody brought meanwhile is fetched', undefined, undefined, 'fetch'],
    ['a file that another tab brought is compared', undefined, stored(), 'compare'],
    ['a file that another tab brought anew is compared', stored({ etag: '"1"' }), stored({ etag: '"2"' }), 'compare'],
    ['a file that another tab has in part is fetched', undefined, stored({ state: 'partial' }, false), 'fetch'],
    ['the same file, of which the server has another, is fetched', stored(), stored(), 'fetch'],
    ['the same file, whose bytes may be changed, is read', stored({}, false), stored({}, false), 'verify'],
  ])('%s', (_, before, now, decision) => {
    expect(decideLocked(before, now)).toBe(decision);
  });
});
