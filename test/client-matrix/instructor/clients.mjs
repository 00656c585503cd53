// Instructor, which needs the third major of zod.
import createInstructor from '@instructor-ai/instructor';
import { OpenAI } from 'openai';
import { z } from 'zod';
import { instructor } from '../families/instructor.mjs';

const packages = ['@instructor-ai/instructor', 'openai'];

/** Each client: its packages, and its start. */
export const clients = {
  'instructor tools': { packages, start: async () => instructor({ createInstructor, OpenAI, z }, 'TOOLS') },
  'instructor json': { packages, start: async () => instructor({ createInstructor, OpenAI, z }, 'JSON_SCHEMA') },
};
