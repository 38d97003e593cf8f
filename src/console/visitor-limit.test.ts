import { describe, expect, it } from 'vitest';
import { createVisitorLimit } from './visitor-limit.ts';

/** Work that ends when it is told to. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => {
          if (error === undefined) resolve(name);
          else reject(error);
        });
      });
    },
    end: async (name: string, error?: Error) => {
      ends.get(name)?.(error);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('turns', () => {
  it('let one visitor do two things at a time, in the order in which they came', async () => {
    const { begun, work, end } = works();
    const take = createVisitorLimit(2);
    const results = ['a', 'b', 'c', 'd'].map((name) => take('ana', work(name)));
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) await end(name);
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keep nobody waiting for another visitor', () => {
    const { begun, work } = works();
    const take = createVisitorLimit(1);
    void take('ana', work('a'));
    void take('ana', work('b'));
    void take('rui', work('c'));
    expect(begun).toEqual(['a', 'c']);
  });

  it('go on after work that failed', async () => {
    const { begun, work, end } = works();
    const take = createVisitorLimit(1);
    const failing = take('ana', work('a')).catch((error: unknown) => String(error));
    const other = take('ana', work('b'));
    await end('a', new Error('gone'));
    expect(await failing).toBe('Error: gone');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(await other).toBe('b');
  });
});
