/** Tries a patched contract on stored events and quarantine entries. */
import type { Contract } from '../../contract/contract.ts';
import { eachPage } from '../../kernel/row-pages.ts';
import { createParse } from '../../parse/parse.ts';
import type { DriftStore } from './collect-drift.ts';

/** What a patch of the contract would change about one stored event or quarantine entry. */
export interface PatchEffect {
  /** An event's id, or a quarantine entry's. */
  readonly id: string;
  readonly kind: string;
  /**
   * `release`: the entry would be released. `known-values`: a later event like it would not be flagged
   * `unknown-value`. `invalid`: a later event like it would be rejected.
   */
  readonly effect: 'release' | 'known-values' | 'invalid';
}

export interface PatchedContract {
  readonly before: Contract;
  readonly after: Contract;
  /** The kinds that the patch defines. */
  readonly kinds: readonly string[];
}

/** Rows read at a time. */
const PAGE = 200;

/** Finds what a patched contract would change: quarantined entries first, then stored events, oldest first. */
export async function* patchEffects(
  store: DriftStore,
  { before, after, kinds }: PatchedContract,
): AsyncGenerator<PatchEffect> {
  if (kinds.length === 0) return;
  yield* releases(store, after, new Set(kinds));
  for (let last: string | undefined; ;) {
    const page = await store.events(
      { kinds },
      { order: 'oldest', limit: PAGE, ...(last !== undefined && { after: last }) },
    );
    for (const { id, kind, source, data } of await store.storedEvents(page.map((event) => event.id))) {
      const [old, patched] = [before.find(source, kind), after.find(source, kind)];
      if (patched === undefined) continue;
      if (!patched.isValid(data)) {
        if (old === undefined || old.isValid(data)) yield { id, kind, effect: 'invalid' };
      } else if (old?.isKnown(data) === false && patched.isKnown(data))
        yield { id, kind, effect: 'known-values' };
    }
    last = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
}

async function* releases(
  store: DriftStore,
  contract: Contract,
  kinds: ReadonlySet<string>,
): AsyncGenerator<PatchEffect> {
  const parse = createParse(contract);
  const filter = { status: 'held', reason: 'invalid' } as const;
  for await (const page of eachPage((page) => store.quarantined(filter, { order: 'oldest', ...page }), {
    limit: PAGE,
  }))
    for (const { id } of page) {
      const delivery = await store.quarantinedDelivery(id);
      if (delivery === null) continue;
      const parsed = parse({ ...delivery, stage: 'verified' });
      if (parsed.stage === 'parsed' && kinds.has(parsed.kind))
        yield { id, kind: parsed.kind, effect: 'release' };
    }
}
