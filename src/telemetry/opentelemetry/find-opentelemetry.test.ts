import { trace } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testContext } from '../../testing/test-context.ts';
import { createOpenTelemetry } from './find-opentelemetry.ts';

const API = Symbol.for('opentelemetry.js.api.1');

function setUp() {
  const { log, logged } = testContext();
  const opentelemetry = createOpenTelemetry(['/', process.cwd()], { version: '1.0.0', log });
  return { ...opentelemetry, said: () => logged.map(({ level, message }) => `${level}: ${message}`) };
}

describe('OpenTelemetry', () => {
  test('is not there without an SDK, although its API is installed', () => {
    const { find, tracing, said } = setUp();

    find();

    expect(tracing()).toBeUndefined();
    expect(said()).toEqual([]);
  });

  test('is found when an SDK has been registered since, once', () => {
    const { find, tracing, said } = setUp();
    find();
    trace.setGlobalTracerProvider(new TracerProvider());
    onTestFinished(() => {
      trace.disable();
    });

    find();
    find();

    expect(tracing()).toBeDefined();
    expect(said()).toEqual(['info: spans and metrics go to OpenTelemetry']);
  });

  test('is missed with a warning where the SDK uses an older API than can be found', () => {
    const { find, tracing, said } = setUp();
    const before: unknown = Reflect.get(globalThis, API);
    Reflect.set(globalThis, API, { version: '1.0.0', trace: {} });
    onTestFinished(() => {
      Reflect.set(globalThis, API, before);
    });

    find();

    expect(tracing()).toBeUndefined();
    expect(said()).toEqual([expect.stringMatching(/^warn: .*install the one that the SDK uses/)]);
  });
});
