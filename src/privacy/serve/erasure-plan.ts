/** The signed plan of an erasure. */
import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { createSigner } from '../../kernel/signed-token.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { AHEAD_MS } from '../../kernel/time/following-clock.ts';
import type { HashedIdentifier, Hold, Privacy } from '../../store/privacy.ts';
import { holdsOf } from '../erasable.ts';
import type { Finding } from '../erase-content.ts';
import { parseIdentifiers, type Identifier, type IdentifierType } from '../identifier.ts';
import { hashIdentifier, personOf } from '../person.ts';
import { planErasure, type PlannedKind, type RowCounts } from '../plan-erasure.ts';
import { relatedIdentifiers } from '../related-identifiers.ts';
import type { ReportScan, ScannedStore } from '../scan-store.ts';

/** Milliseconds for which a plan of an erasure can be started. */
const PLAN_MS = 10 * 60_000;

/** Rows that a plan lists. */
const MAX_FINDINGS = 50;

/** What an erasure would change. */
export interface ErasurePlan {
  /** Signed; starts the erasure together with the identifiers, typed again. It holds only keyed hashes of them. */
  readonly plan: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** How many identifiers of each type name the person, those that were found included. */
  readonly identifiedBy: Readonly<Partial<Record<IdentifierType, number>>>;
  /** The keyed hashes of these identifiers: they recognize a hold of the person. */
  readonly hashed: readonly HashedIdentifier[];
  readonly rows: RowCounts;
  /** Rows of held subjects that name the person, and would stay. */
  readonly heldRows: number;
  /** Holds of the person: with one, nothing can be erased. */
  readonly holds: readonly Hold[];
  readonly kinds: readonly PlannedKind[];
  /** The first rows, without their values. */
  readonly findings: readonly Finding[];
}

export interface PlanErasureDeps {
  readonly store: ScannedStore & Pick<Privacy, 'holds' | 'erasureKey'>;
  readonly contract: Contract;
  readonly clock: Pick<Clock, 'now'>;
  readonly report?: ReportScan;
}

/**
 * Reads the identifiers of one person from lines.
 *
 * @throws PortariaError `invalid-argument` with a problem for each wrong one; none is repeated
 */
export function identifiersOfLines(texts: readonly string[]): readonly Identifier[] {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '');
  if (given.length === 0) throw new PortariaError('invalid-argument', { code: 'nobody-named' });
  return parseIdentifiers(given);
}

/** Counts what an erasure would change, and signs it. Reads every row, and changes nothing. */
export async function makeErasurePlan(
  { store, contract, clock, report }: PlanErasureDeps,
  id: string,
  given: readonly Identifier[],
): Promise<ErasurePlan> {
  const identifiers = await relatedIdentifiers(store, given, contract, report);
  const person = personOf(identifiers);
  const findings: Finding[] = [];
  const found = (finding: Finding): void => {
    if (findings.length < MAX_FINDINGS) findings.push(withoutValues(finding));
  };
  const { rows, held, kinds } = await planErasure(
    { store, contract, found, ...(report !== undefined && { report }) },
    person,
  );
  const holds = holdsOf(person, await store.holds());
  const byType = Map.groupBy(identifiers, ({ type }) => type);
  const at = clock.now();
  const key = await store.erasureKey();
  const plan = signerOf(key).sign('erasure', { id, at, hashes: hashesOf(given, key) });
  return {
    plan,
    expiresAt: at + PLAN_MS,
    identifiedBy: Object.fromEntries([...byType].map(([type, those]) => [type, those.length])),
    hashed: identifiers.map((one) => hashIdentifier(one, key)),
    rows,
    heldRows: held,
    holds,
    kinds,
    findings,
  };
}

const shape = z.object({ id: z.string(), at: z.number(), hashes: z.array(z.string()) });

/**
 * Returns the id of a plan that names exactly these identifiers.
 *
 * @throws PortariaError `invalid-argument` for a plan that is altered, of another store or over, and for others
 */
export async function openErasurePlan(
  { store, clock }: Pick<PlanErasureDeps, 'store' | 'clock'>,
  token: string,
  given: readonly Identifier[],
): Promise<string> {
  const key = await store.erasureKey();
  const { data: plan } = shape.safeParse(signerOf(key).open('erasure', token));
  if (plan === undefined) throw new PortariaError('invalid-argument', { code: 'foreign-plan' });
  const now = clock.now();
  if (now - plan.at >= PLAN_MS || now < plan.at - AHEAD_MS)
    throw new PortariaError('invalid-argument', { code: 'old-plan' });
  if (hashesOf(given, key).join() !== plan.hashes.join())
    throw new PortariaError('invalid-argument', { code: 'other-identifiers' });
  return plan.id;
}

/** A plan waits in memory for its start: it keeps where the person is named, and not how. */
function withoutValues({ content, paths, kept, change }: Finding): Finding {
  const { place, row } = change;
  return {
    content: { ...content, body: null, texts: {} },
    change: { place, row },
    paths,
    kept,
    values: [],
  };
}

function signerOf(key: Uint8Array) {
  return createSigner(key, 'portaria erasure plan');
}

function hashesOf(identifiers: readonly Identifier[], key: Uint8Array): readonly string[] {
  return [...new Set(identifiers.map((one) => hashIdentifier(one, key).hash))].toSorted();
}
