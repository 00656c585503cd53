import { createRoot } from 'react-dom/client';
import { Chat } from './chat.jsx';

createRoot(document.querySelector('#root')).render(<Chat />);
