/** Which panel is shown. It is in the address too, so that a panel has a link. */
import { signal } from '@preact/signals';

export const chosenPanel = signal(location.hash.slice(1));
/** On narrow screens the wire takes the panel's place. */
export const showsWire = signal(false);

// By a link, or by hand. What `choosePanel` writes is no such event.
addEventListener('hashchange', () => (chosenPanel.value = location.hash.slice(1)));

export function choosePanel(name: string): void {
  chosenPanel.value = name;
  showsWire.value = false;
  history.replaceState(null, '', `#${name}`);
}
