import { onTestFinished } from 'vitest';
import { startScenario } from '../../scenario/start-scenario.ts';
import { openTestProvider } from './test-provider.ts';

/** Shorter than a step of an import. */
const SHORT_MS = 200;
/** A sign-in takes less than that. */
const MAX_SHORT_STEPS = 1_000;

/** Opens a provider with a running scenario on a manual clock. */
export async function openWithScenario() {
  const setup = await openTestProvider();
  const { provider, clock, log, ours } = setup;
  const scenario = startScenario(provider, log);
  onTestFinished(async () => {
    const stopped = scenario.stop();
    clock.advance(1_000);
    await stopped;
  });
  /** Whatever becomes due on the way happens, each at its own moment. */
  const pass = (ms: number) => scenario.advance(ms);
  return {
    ...setup,
    scenario,
    pass,
    /** Lets time pass until the import of a company with a login begins. */
    async untilImport(company: number) {
      for (let steps = 0; steps < MAX_SHORT_STEPS; steps += 1) {
        await pass(SHORT_MS);
        if ((await ours.get(`/v1/companies/${String(company)}/sync/snapshot`)).status === 200) return;
      }
      throw new Error(`no import of company ${String(company)} begins`);
    },
  };
}
