/** The attempts that run, in memory that another thread reads while this one is blocked. */
import type { ClaimedDelivery, DeliveryKey } from '../../store/lane-queue.ts';

/** Bytes for each attempt: names and numbers, never the payload. */
const SLOT_BYTES = 512;

/** An attempt, as the thread that watches reads it. */
export interface RunningAttempt {
  readonly key: DeliveryKey;
  readonly event: string;
  readonly attempt: number;
  /** Whether its lane waits behind it when it has failed for good. */
  readonly hold: boolean;
}

export interface RunningAttempts {
  readonly memory: SharedArrayBuffer;
  /** Notes an attempt before its code is called. Returns its slot; none is left after a shutdown's grace. */
  begin(delivery: ClaimedDelivery, hold: boolean): number | undefined;
  /** Its code has returned, and may go on later. */
  returned(): void;
  end(slot: number | undefined): void;
}

function viewsOf(memory: SharedArrayBuffer) {
  const slots = (memory.byteLength - 4) / (SLOT_BYTES + 4);
  return {
    slots,
    /** First the slot of the attempt whose code has been called and has not returned, from 1. Then the bytes of each. */
    state: new Int32Array(memory, 0, 1 + slots),
    texts: Buffer.from(memory, 4 * (1 + slots)),
  };
}

/** Writing a short text costs a fraction of a microsecond: it must be there before the code may block the thread. */
export function createRunningAttempts(concurrency: number): RunningAttempts {
  const memory = new SharedArrayBuffer(4 + concurrency * (SLOT_BYTES + 4));
  const { state, texts } = viewsOf(memory);
  const free = Array.from({ length: concurrency }, (_, slot) => slot);
  return {
    memory,
    begin({ id, lane, holder, start, handler, replay, event, attempt }, hold) {
      const slot = free.pop();
      if (slot === undefined) return undefined;
      // The name of a handler may be long, and is cut at the end.
      const text = `${id}\n${lane}\n${String(holder)}\n${String(start)}\n${replay ?? ''}\n${event.id}\n${String(attempt)}\n${hold ? 'hold' : ''}\n${handler}`;
      state[1 + slot] = texts.write(text, slot * SLOT_BYTES, SLOT_BYTES);
      state[0] = slot + 1;
      return slot;
    },
    returned() {
      state[0] = 0;
    },
    end(slot) {
      if (slot === undefined) return;
      state[1 + slot] = 0;
      free.push(slot);
    },
  };
}

/** Reads the one attempt whose code has been called and has not returned; otherwise all that run. */
export function readRunningAttempts(memory: SharedArrayBuffer): readonly RunningAttempt[] {
  const { slots, state, texts } = viewsOf(memory);
  const [called = 0] = state;
  const read = called > 0 ? [called - 1] : Array.from({ length: slots }, (_, slot) => slot);
  return read.flatMap((slot) => {
    const bytes = state[1 + slot] ?? 0;
    if (bytes === 0) return [];
    const text = texts.toString('utf8', slot * SLOT_BYTES, slot * SLOT_BYTES + bytes);
    const [id = '', lane = '', holder, start, replay = '', event = '', attempt, hold, handler = ''] =
      text.split('\n');
    const key = { id, lane, holder: Number(holder), start: Number(start), handler, replay: replay || null };
    return [{ key, event, attempt: Number(attempt), hold: hold === 'hold' }];
  });
}
