import { startInference } from 'inpage';
import { createRoot } from 'react-dom/client';
import { POST } from './chat-route.js';
import { Chat } from './chat.jsx';

// Where `useChat` posts by default.
await startInference({ routes: { 'POST /api/chat': POST } });
createRoot(document.querySelector('#root')).render(<Chat />);
