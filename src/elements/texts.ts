/** All words of the elements. An app replaces those that it wants in another language. @module */

/** Texts of `<inpage-models>`; `{…}` stands for what is put in. */
export const DEFAULT_TEXTS = {
  label: 'Models',
  nothing: 'No service is set. Set the property `store` or `inference` of this element.',
  starting: 'Starting…',
  startFailed: 'Inference could not start. {reason}',
  startAgain: 'Try again',
  empty: 'There are no models.',
  recommended: 'Recommended',
  unknownSize: 'size not stated',
  noDownload: 'no download',
  license: 'License: {license}',
  fits: 'Runs on this device',
  tight: 'May be slow or fail on this device',
  no: 'Cannot run on this device',
  unknown: 'Not known whether it runs on this device',
  // They may also say `{needed}`, what is missing, and `{size}`, the whole model.
  storageReason: '{message} {cure}',
  memoryReason: '{message} {cure}',
  webgpuReason: '{message} {cure}',
  halfFloatsReason: '{message} {cure}',
  deviceReason: '{reason}',
  runsOn: 'Runs on {device}',
  absent: 'Not downloaded',
  downloading: 'Downloading',
  paused: 'Paused',
  stored: 'On this device',
  loading: 'Loading',
  loaded: 'Loaded',
  failed: 'Failed',
  download: 'Download',
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel',
  load: 'Load',
  unload: 'Unload',
  remove: 'Remove',
  retry: 'Try again',
  progressLabel: 'Download of {model}',
  progress: '{loaded} of {total}',
  speed: '{speed} per second',
  remaining: '{time} left',
  waitingNetwork: 'waiting for the network',
  waitingRetry: 'waiting before the next attempt',
  waitingOtherTab: 'another tab is downloading it',
  announceProgress: '{model}: {percent}',
  announceStored: '{model} is on this device.',
  consentTitle: 'Download {model}?',
  consentSize: 'Size: {size}',
  consentHost: 'It comes from {host}.',
  agree: 'Download',
  decline: 'Do not download',
  confirmTitle: 'Remove {model}?',
  confirmText: 'Its files ({size}) are deleted from this device.',
  confirmAgree: 'Remove',
  confirmDecline: 'Keep',
  keptTitle: 'Also on this device',
  noRoom: 'There is no room for {model}: it needs {needed}, and {free} are free.',
  noRoomCure: 'Remove a model: {models}.',
  noRoomNothing: 'Free space on the disk.',
  noNetwork: 'There is no network now. Try again with one.',
  notReached: 'Check the network, then try again.',
  notFound: 'Its files were not found at {host}. Check the `source` of the model.',
  noWebGpu: 'This browser has no WebGPU for it. Choose a model that runs on WASM.',
  otherFailure: '{reason}',
};

/** Texts of `<inpage-models>`, any of which may be missing. */
export type ModelsTexts = Partial<typeof DEFAULT_TEXTS>;

/** Texts of `<inpage-chat>`. */
export const DEFAULT_CHAT_TEXTS = {
  nothing: 'No service is set. Set the property `store` or `inference` of this element.',
  log: 'Conversation',
  input: 'Message',
  placeholder: 'Ask something',
  send: 'Send',
  stop: 'Stop',
  copy: 'Copy',
  copied: 'Copied',
  retry: 'Try again',
  user: 'You',
  assistant: 'Assistant',
  system: 'System',
  failed: 'There is no answer. {reason}',
  noModel: 'There is no chat model in the catalog.',
};

/** Texts of `<inpage-chat>`, any of which may be missing. */
export type ChatTexts = Partial<typeof DEFAULT_CHAT_TEXTS>;

/** The app's words, and English ones where it has none. */
export function wordsOf<Words extends object>(defaults: Words, texts: Partial<Words>): Words {
  const given = Object.entries(texts).filter(([, text]) => text !== undefined && text !== null);
  return { ...defaults, ...Object.fromEntries(given) };
}
