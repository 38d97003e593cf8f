import { afterAll, onTestFinished, TestRunner } from 'vitest';

const ofFile: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanup of ofFile.splice(0).toReversed()) await cleanup();
});

/**
 * Cleans up when the test is over, or all tests of the file when it is called in `beforeAll`: there only in projects
 * whose files have modules of their own.
 */
export function whenOver(cleanup: () => unknown): void {
  if (TestRunner.getCurrentTest() === undefined) ofFile.push(cleanup);
  else onTestFinished(() => void cleanup());
}
