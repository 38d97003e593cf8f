import { onTestFinished } from 'vitest';
import { startScenario } from '../scenario/start-scenario.ts';
import { openTestProvider } from './test-provider.ts';

/** Opens a provider with a running scenario on a manual clock. */
export async function openWithScenario() {
  const setup = await openTestProvider();
  const { provider, clock, log } = setup;
  const scenario = startScenario(provider, log);
  onTestFinished(async () => {
    const stopped = scenario.stop();
    clock.advance(1_000);
    await stopped;
  });
  return {
    ...setup,
    scenario,
    /** Whatever becomes due on the way happens, each at its own moment. */
    pass: (ms: number) => scenario.advance(ms),
  };
}
