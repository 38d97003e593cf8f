/** The program of the watchdog's thread: it reports a stalled process, records what ran, and ends it. */
import { once } from 'node:events';
import { readFileSync, writeSync } from 'node:fs';
import { Session, type Debugger } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { readRunningAttempts, type RunningAttempt } from '../../dispatch/attempt/running-attempts.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import { isPostgresAddress } from '../../kernel/postgres-address.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { Store } from '../../store/store.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import { createLogSubscriber } from '../../telemetry/log-subscriber.ts';
import { recordStall } from './record-stall.ts';
import { BLOCKED, createStallClock, STALLED_EXIT_CODE, STOPPING_SILENCE_MS } from './stall-clock.ts';
import { signal, type WatchdogData } from './watchdog.ts';

/** Milliseconds of silence after which the thread keeps the process's lease, which ends 8 s after a heartbeat. */
const KEEP_LEASE_MS = 2_000;

/** Milliseconds for each step of an end: then the process ends without it. A main thread that runs gets more of them. */
const STEP_MS = 5_000;

/** How many times {@link STEP_MS} a step may take while the main thread runs: on a busy machine, it answers late. */
const MAX_STEPS = 6;

/** The innermost frames of the stack, read where the main thread stopped: the first is of this text itself. */
const STACK = '(globalThis.Error.stackTraceLimit = 20, new globalThis.Error().stack)';

/** Writes at once: the process ends after the line. A full pipe must not keep it. */
const destination = {
  write(line: string): void {
    try {
      writeSync(1, line);
    } catch {
      return;
    }
  },
};

/** Runs JavaScript where the main thread has stopped. */
type Evaluate = (expression: string) => Promise<unknown>;

/** Stops the main thread where it is, and lets it go on after the work. Rejects while the thread is in native code. */
async function whileStopped(work: (evaluate: Evaluate) => Promise<void>): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  try {
    await within(session.post('Debugger.enable'));
    const paused = once(session, 'Debugger.paused') as Promise<[{ params: Debugger.PausedEventDataType }]>;
    await within(session.post('Debugger.pause'));
    const [{ params }] = await within(paused);
    const callFrameId = params.callFrames[0]?.callFrameId ?? '';
    await work(async (expression) => {
      const evaluated = session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression });
      return (await within(evaluated)).result.value as unknown;
    });
  } finally {
    session.disconnect();
  }
}

/**
 * Gives SIGTERM its default action: after the grace of a shutdown, whoever stops the process waits for nothing.
 * Resolves with whether the thread was blocked. One that comes out of native code turns soon, and then gets the
 * signals that came meanwhile. A hand-over would lose these, so the thread must be found twice without a heartbeat.
 */
async function handOverSignals(beats: () => number, lookMs: number): Promise<boolean> {
  let before = beats();
  await whileStopped(async () => void (before = beats()));
  await pause(lookMs);
  let isBlocked = false;
  await whileStopped(async (evaluate) => {
    isBlocked = beats() === before;
    if (isBlocked) await evaluate(`globalThis.process.emit(${JSON.stringify(BLOCKED)})`);
  });
  return isBlocked;
}

/** A step that hangs must not keep the process. */
async function within<T>(work: Promise<T>): Promise<T> {
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  let steps = 0;
  let before = mainThreadSwitches();
  const timer = setInterval(() => {
    steps += 1;
    const now = mainThreadSwitches();
    if (now === before || steps === MAX_STEPS)
      reject(new Error(`not done after ${String(steps * STEP_MS)} ms`));
    before = now;
  }, STEP_MS);
  try {
    return await Promise.race([work, isOver]);
  } finally {
    clearInterval(timer);
  }
}

/** How often the main thread got or left a processor: it changes unless the thread is blocked in native code. Linux only. */
function mainThreadSwitches(): string | undefined {
  try {
    return /^voluntary_ctxt_switches[^]*/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[0];
  } catch {
    return undefined;
  }
}

/** The innermost line that is neither Node's nor a package's: a handler's, in most stalls. */
function ownLine(stack: readonly string[]): string | null {
  const own = stack.find((frame) => !/\bnode:|[\\/]node_modules[\\/]|<anonymous>/.test(frame));
  return own === undefined ? null : (/[^\\/(]+:\d+(?=:\d+\)?$)/.exec(own)?.[0] ?? null);
}

function watch({ signals, running, timeoutMs, graceMs, store: address, log }: WatchdogData): void {
  const shared = new Int32Array(signals);
  const lookMs = Math.min(1_000, timeoutMs / 10);
  const silence = createStallClock(lookMs, timeoutMs);
  let store: Promise<Store> | undefined;
  let isHandedOver = false;
  let ending: Promise<void> | undefined;

  /** Loaded late: most processes never stall. */
  async function openStore(): Promise<Store> {
    const { openStore: open } = await import('../../store/open-store.ts');
    return open(address, { role: 'guest', clock: systemClock, mustExist: true });
  }

  function closeStore(): void {
    void store?.then((opened) => opened.close()).catch(() => undefined);
    store = undefined;
  }

  async function keepLease(attempts: readonly RunningAttempt[]): Promise<void> {
    const [holder] = attempts.map(({ key }) => key.holder);
    if (holder !== undefined && isPostgresAddress(address.database))
      await (await (store ??= openStore())).keepLease(holder);
  }

  /** A handler that is slow when the process must end has not stalled yet: it is interrupted as by a crash. */
  async function report(silentMs: number, isStopping: boolean, stack: readonly string[]): Promise<void> {
    const attempts = readRunningAttempts(running);
    const logged = createLogSubscriber(await createLogger({ ...log, destination }), {
      clock: systemClock,
      isVerified: () => true,
    });
    logged.report('process.stalled', {
      ...{ silentMs, isStopping, stack },
      running: attempts.map(({ key: { id, handler }, event, attempt }) => ({
        delivery: id,
        handler,
        event,
        attempt,
      })),
    });
    if (isStopping || address.database === ':memory:') return;
    const stall = { now: systemClock.now(), timeoutMs, where: ownLine(stack) };
    await within((store ??= openStore()).then((opened) => recordStall(opened, attempts, stall))).catch(
      (error: unknown) => {
        logged.report('dispatch.failed', { reason: failureReason(error) });
      },
    );
  }

  async function end(silentMs: number, isStopping: boolean): Promise<void> {
    let stack: readonly string[] | undefined;
    try {
      await whileStopped(async (evaluate) => {
        const lines = String(await evaluate(STACK))
          .split('\n')
          .slice(2);
        stack = lines.map((line) => line.trim());
        await report(silentMs, isStopping, stack);
        await evaluate(`globalThis.process.reallyExit(${String(STALLED_EXIT_CODE)})`);
      });
    } catch {
      if (stack === undefined) await report(silentMs, isStopping, []);
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  }

  // It goes on when the process ends: a thread without a timer would end before the debugger answers.
  setInterval(() => {
    const grace = shared[signal.grace] ?? 0;
    const { silentMs, verdict } = silence({
      beats: shared[signal.beats] ?? 0,
      isDebugged: shared[signal.debugged] === 1,
      graceMs: grace === 0 ? null : grace - 1,
    });
    if (verdict !== null) ending ??= end(silentMs, verdict === 'unstoppable');
    if (ending !== undefined) return;
    if (silentMs >= Math.max(graceMs, STOPPING_SILENCE_MS) && !isHandedOver) {
      isHandedOver = true;
      // Fails in native code, and while the machine is busy: the next look tries again.
      void handOverSignals(() => shared[signal.beats] ?? 0, lookMs).then(
        (isBlocked) => (isHandedOver = isBlocked),
        () => (isHandedOver = false),
      );
    }
    if (silentMs >= KEEP_LEASE_MS) void keepLease(readRunningAttempts(running)).catch(closeStore);
    else if (silentMs === 0) {
      isHandedOver = false;
      closeStore();
    }
  }, lookMs);
}

if (parentPort !== null) watch(workerData as WatchdogData);
