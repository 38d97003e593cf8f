import { loadEntryPoints } from './own-modules.ts';

/**
 * Makes a loader of files that lie anywhere: TypeScript is compiled on the way,
 * and `portaria` means this very package. What the files share is evaluated
 * once. Nothing is written beside them or in /tmp.
 */
export async function createCompilingLoader(wanted: {
  /** Whether the files may import `portaria/client`, which takes a while to load. */
  readonly client: boolean;
}): Promise<(file: string) => Promise<unknown>> {
  // Slow to load, and most starts find no file that needs it.
  const [{ createJiti }, entryPoints] = await Promise.all([import('jiti'), loadEntryPoints(wanted)]);
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    interopDefault: false,
    virtualModules: { ...entryPoints },
  });
  return (file) => jiti.import(file);
}
