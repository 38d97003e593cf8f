import { expect, test } from 'vitest';
import { blockedPorts } from './blocked-ports.ts';

test('the ports are those that fetch refuses to call', async () => {
  // Fails before a connection is made.
  const dispatcher = {
    dispatch() {
      throw new Error('not sent');
    },
  };
  const refused = async (port: number): Promise<boolean> => {
    const init = { dispatcher } as unknown as RequestInit;
    const failed = await fetch(`http://127.0.0.1:${String(port)}/`, init).catch((error: unknown) => error);
    return failed instanceof TypeError && String(failed.cause).includes('bad port');
  };
  const ports = Array.from({ length: 11_000 }, (_, at) => at + 1);
  const found = await Promise.all(ports.map(refused));
  expect(ports.filter((_, at) => found[at])).toEqual([...blockedPorts]);
});
