/** The attempts that run, in memory that another thread reads while this one is blocked. */
import type { ClaimedDelivery, DeliveryKey } from '../../store/lane-queue.ts';

/** Bytes for each attempt: names and numbers, never the payload. */
const PLACE_BYTES = 512;

/** An attempt, as the thread that watches reads it. */
export interface RunningAttempt {
  readonly key: DeliveryKey;
  readonly event: string;
  readonly attempt: number;
}

export interface RunningAttempts {
  readonly memory: SharedArrayBuffer;
  /** Notes an attempt before its code is called. Returns its place; none is left after a shutdown's grace. */
  begin(delivery: ClaimedDelivery): number | undefined;
  /** Its code has returned, and may go on later. */
  returned(): void;
  end(place: number | undefined): void;
}

function viewsOf(memory: SharedArrayBuffer) {
  const places = (memory.byteLength - 4) / (PLACE_BYTES + 4);
  return {
    places,
    /** First the place of the attempt whose code has been called and has not returned, from 1. Then the bytes of each. */
    state: new Int32Array(memory, 0, 1 + places),
    texts: Buffer.from(memory, 4 * (1 + places)),
  };
}

/** Writing a short text costs a fraction of a microsecond: it must be there before the code may block the thread. */
export function createRunningAttempts(concurrency: number): RunningAttempts {
  const memory = new SharedArrayBuffer(4 + concurrency * (PLACE_BYTES + 4));
  const { state, texts } = viewsOf(memory);
  const free = Array.from({ length: concurrency }, (_, place) => place);
  return {
    memory,
    begin({ id, lane, holder, start, handler, replay, event, attempt }) {
      const place = free.pop();
      if (place === undefined) return undefined;
      const text = `${id}\n${lane}\n${String(holder)}\n${String(start)}\n${handler}\n${replay ?? ''}\n${event.id}\n${String(attempt)}`;
      state[1 + place] = texts.write(text, place * PLACE_BYTES, PLACE_BYTES);
      state[0] = place + 1;
      return place;
    },
    returned() {
      state[0] = 0;
    },
    end(place) {
      if (place === undefined) return;
      state[1 + place] = 0;
      free.push(place);
    },
  };
}

/** Reads the one attempt whose code has been called and has not returned; otherwise all that run. */
export function readRunningAttempts(memory: SharedArrayBuffer): readonly RunningAttempt[] {
  const { places, state, texts } = viewsOf(memory);
  const [called = 0] = state;
  const read = called > 0 ? [called - 1] : Array.from({ length: places }, (_, place) => place);
  return read.flatMap((place) => {
    const bytes = state[1 + place] ?? 0;
    if (bytes === 0) return [];
    const text = texts.toString('utf8', place * PLACE_BYTES, place * PLACE_BYTES + bytes);
    const [id = '', lane = '', holder, start, handler = '', replay = '', event = '', attempt] =
      text.split('\n');
    const key = { id, lane, holder: Number(holder), start: Number(start), handler, replay: replay || null };
    return [{ key, event, attempt: Number(attempt) }];
  });
}
