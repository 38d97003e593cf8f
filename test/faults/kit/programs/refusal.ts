import { loadConfig } from '../../../../src/config/load-config.ts';
import { PortariaError } from '../../../../src/kernel/errors.ts';
import { systemClock } from '../../../../src/kernel/time/clock.ts';
import { openStore } from '../../../../src/store/open-store.ts';

/** Opens a store with this address as a process that serves does. Returns why it is refused; undefined if it opens. */
export async function refusalOf(database: string): Promise<string | undefined> {
  try {
    const store = await openStore(loadConfig({ PORTARIA_DATABASE: database }, '/'), {
      role: 'owner',
      clock: systemClock,
    });
    await store.close();
    return undefined;
  } catch (error) {
    if (!PortariaError.is(error)) throw error;
    return [error.message, ...error.problems.map(({ where, message }) => `${where}: ${message}`)].join('\n');
  }
}
