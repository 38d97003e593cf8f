import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in which the tests of a run find, or put, the tarball that npm would publish. */
    packedFolder: string;
  }
}

/** Global setup: creates the folder, and removes it after the last file. */
export default function createPackedFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-packed-'));
  project.provide('packedFolder', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
