/** Setup file: prints why a first try failed, because a second one that passes hides it. */
import { beforeEach } from 'vitest';

beforeEach(({ task }) => {
  for (const { message } of task.result?.errors ?? [])
    process.stdout.write(`  the first try of "${task.name}" failed: ${message}\n`);
});
