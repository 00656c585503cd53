// In a page: a client's tasks, one after the other.
import { TASKS } from './task.mjs';

/** @returns of each task `true`, or what came instead */
export async function tryTasks(client, tasks) {
  const outcome = {};
  for (const task of tasks) {
    try {
      const result = await client[task]();
      outcome[task] = TASKS[task].isRight(result) || JSON.stringify(result);
    } catch (thrown) {
      outcome[task] = String(thrown?.stack ?? thrown);
    }
  }
  return outcome;
}
