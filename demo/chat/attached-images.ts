/** Images that wait in the composer: pasted, dropped, chosen, or taken with the camera. */
import { computed, signal } from '@preact/signals';
import { chatModel, inference, models, statusVersion } from '../inference.js';

/** What the service takes. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** Data URLs. */
export const attached = signal<string[]>([]);

/** The chosen model takes images: it says so once it is loaded, its entry perhaps before. */
export const sees = computed(() => {
  void statusVersion.value;
  const status = inference.value?.status().find(({ id }) => id === chatModel.value);
  const entry = models.value.find(({ id }) => id === chatModel.value);
  return status?.images ?? entry?.metadata?.capabilities?.includes('vision') ?? false;
});

/** Attaches what of it is images; true when something was. */
export async function attach(files: Iterable<File>): Promise<boolean> {
  const images = [...files].filter(({ type }) => IMAGE_TYPES.includes(type));
  const read = await Promise.all(images.map(toDataURL));
  attached.value = [...attached.value, ...read];
  return images.length > 0;
}

function toDataURL(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
}
