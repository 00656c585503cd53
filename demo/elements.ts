/** The script of `elements.html`: one service for a picker and a chat. */
import { createInferenceStore } from 'inpage';
import 'inpage/elements';

const store = createInferenceStore();
const [picker, chat] = [document.querySelector('inpage-models')!, document.querySelector('inpage-chat')!];
picker.store = store;
chat.store = store;
picker.addEventListener('change', () => (chat.model = picker.value));
