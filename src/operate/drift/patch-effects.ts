import type { Contract } from '../../contract/contract.ts';
import { createParse } from '../../parse/parse.ts';
import { eachPage } from '../all-rows.ts';
import type { DriftStore } from './collect-drift.ts';

/** What a patch of the contract would change about one stored event or held entry. */
export interface PatchEffect {
  /** An event's id, or a quarantine entry's. */
  readonly id: string;
  readonly kind: string;
  /**
   * `release`: the entry would be released. `recognize`: a later event like it would be recognized.
   * `known-values`: a later event like it would not be flagged `unknown-value`.
   */
  readonly effect: 'release' | 'recognize' | 'known-values';
}

/** Rows read at a time. */
const PAGE = 200;

/** Finds what a patched contract would change: held entries first, then stored events, oldest first. */
export async function* patchEffects(
  store: DriftStore,
  contract: Contract,
  { since }: { readonly since?: number },
): AsyncGenerator<PatchEffect> {
  yield* releases(store, contract, since);
  for (const [flag, effect] of [
    ['unrecognized', 'recognize'],
    ['unknown-value', 'known-values'],
  ] as const) {
    const filter = { flag, ...(since !== undefined && { since }) };
    for await (const page of eachPage((next) => store.events(filter, next), PAGE))
      for (const { id, kind, source, data } of await store.storedEvents(page.map((event) => event.id)))
        if (contract.find(source, kind)?.isKnown(data) === true) yield { id, kind, effect };
  }
}

async function* releases(
  store: DriftStore,
  contract: Contract,
  since: number | undefined,
): AsyncGenerator<PatchEffect> {
  const parse = createParse(contract);
  const filter = { status: 'held', reason: 'invalid' } as const;
  for await (const page of eachPage((next) => store.quarantined(filter, next), PAGE))
    for (const { id, receivedAt } of page) {
      if (since !== undefined && receivedAt < since) continue;
      const held = await store.quarantinedDelivery(id);
      if (held === null) continue;
      const parsed = parse({ ...held, stage: 'verified' });
      if (parsed.stage === 'parsed') yield { id, kind: parsed.kind, effect: 'release' };
    }
}
