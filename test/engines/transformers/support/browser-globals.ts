/**
 * Lets Node pass for a browser: the web build of transformers.js and ONNX Runtime look once, when they are imported.
 * @module
 */
import { installCanvas } from './flat-pictures.js';

Object.defineProperty(process.release, 'name', { value: 'browser' });
installCanvas();
