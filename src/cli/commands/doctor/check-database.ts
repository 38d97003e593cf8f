/** What `doctor` checks of a database. */
import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Observation } from '../../../attention/observe.ts';
import { unknownExpectations } from '../../../attention/expectations.ts';
import { unregisteredWarning } from '../../../attention/unregistered-handlers.ts';
import type { Config } from '../../../config/config.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { definedLater } from '../../../operate/show/defined-later.ts';
import { addressWithoutPassword } from '../../../kernel/postgres-address.ts';
import { durationText } from '../../../kernel/text/age.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { mayHaveStore, openStore, type StoreOptions } from '../../../store/open-store.ts';
import type { MonitoringState, ReceivedKind } from '../../../store/monitoring.ts';
import type { StoreStatistics } from '../../../store/queries.ts';
import type { Check } from '../../../store/checks.ts';
import type { Store } from '../../../store/store.ts';
import { instantText } from '../../../view/instant-text.ts';
import { copiedFileWarning } from '../../copied-file.ts';
import { knownHandlers, ownerText } from '../../known-handlers.ts';
import { statisticsView, type StatisticsView } from '../../../view/statistics-view.ts';
import { readableBytes, readableTime } from '../../output/format.ts';
import { localTime } from '../../output/local-time.ts';
import { countsText, droppedText, prunedText, sizeText } from '../../output/statistics-text.ts';
import type { KnowsKind } from '../../../attention/unknown-kinds.ts';
import { countOf } from '../../../kernel/text/count.ts';

/** One line of doctor's report. */
export interface DoctorCheck extends Check {
  /** Set when the check found work for an operator: the installation itself is in order. */
  readonly attention?: true;
}

/** @param how whether it passed; `warning` or `attention` when it did, and the operator has something to do */
export function found(
  name: string,
  detail: string,
  how: boolean | 'warning' | 'attention' = true,
): DoctorCheck {
  return { name, ok: how !== false, ...(typeof how === 'string' && { [how]: true }), detail };
}

/** An event this many milliseconds ahead of the clock means that the clock was set back. */
const CLOCK_TOLERANCE_MS = 60_000;

/** The free bytes in the file, and their share of it, from which doctor warns. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const FREE_WARNING_SHARE = 0.25;

/** The events that are searched for those that a handler never got. */
const NEWEST_EVENTS = 20_000;

/** With an empty database in the wrong place, everything would seem to be in order. */
const CREATE_OR_NAME = '`portaria serve` creates it, or PORTARIA_DATABASE names the right one';

/** The share of the quarantine quota from which doctor warns. */
const QUARANTINE_WARNING_SHARE = 0.8;

/**
 * Checks the database and its contents, or, if there is none, whether it can be created.
 *
 * @param local the handlers of PORTARIA_HANDLERS; undefined when they cannot be loaded
 * @param observe looks for work for an operator
 */
export async function checkDatabase(
  config: Config,
  clock: Clock,
  local: Registry | undefined,
  observe: (store: Store) => Promise<Observation>,
): Promise<readonly DoctorCheck[]> {
  if (!mayHaveStore(config.database)) return [await checkFolder(config.database)];
  const warnings: DoctorCheck[] = [];
  const store = await openExisting(config, {
    role: 'guest',
    clock,
    onWarning(detail, about) {
      // The store has a check of its own for the clock.
      if (about === 'file') warnings.push(found('file', detail, 'warning'));
    },
  });
  if (store === null) {
    const detail = `${addressWithoutPassword(config.database)} has no store yet; ${CREATE_OR_NAME}`;
    return [found('database', detail, 'attention')];
  }
  try {
    const statistics = await store.statistics();
    const monitoring = await store.monitoring();
    const view = statisticsView(statistics, monitoring);
    const copied = await copiedFileWarning(store, config.database);
    if (copied !== null) warnings.push(found('file', copied, 'warning'));
    return [
      found('database', store.location),
      ...warnings,
      ...(await store.checks()),
      await checkClock(store, clock),
      ...(await checkDeliveries(statistics, store, config, local)),
      checkQuarantine(statistics),
      ...checkAlerts(monitoring),
      await checkKinds(
        store,
        monitoring.received,
        (source, kind) => local?.contract.find(source, kind) !== undefined,
      ),
      checkRetention(view, config, clock.now()),
      checkSpace(view),
      ...checkArrivals(monitoring.received, clock.now()),
      ...checkExpectations(config, local),
      ...attentionChecks(await observe(store)),
    ];
  } finally {
    await store.close();
  }
}

/** Null for a database in PostgreSQL without a store. */
async function openExisting(config: Config, options: StoreOptions): Promise<Store | null> {
  try {
    return await openStore(config, { ...options, mustExist: true });
  } catch (error) {
    if (PortariaError.is(error, 'not-found')) return null;
    throw error;
  }
}

async function checkFolder(database: string): Promise<DoctorCheck> {
  let folder = dirname(database);
  while (!existsSync(folder)) folder = dirname(folder);
  const isFolder = (await stat(folder)).isDirectory();
  return isFolder && (await canWrite(folder))
    ? found('database', `${database} does not exist yet; ${CREATE_OR_NAME}`, 'attention')
    : found(
        'database',
        `${database} does not exist and cannot be created in ${folder}: give this user write access, or set PORTARIA_DATABASE`,
        false,
      );
}

function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function checkClock(store: Store, clock: Clock): Promise<DoctorCheck> {
  const [newest] = await store.events({}, { order: 'newest', limit: 1 });
  const name = 'clock and log';
  if (newest === undefined || newest.receivedAt <= clock.now() + CLOCK_TOLERANCE_MS)
    return found(name, 'no event is in the future');
  const at = instantText(newest.receivedAt);
  return found(
    name,
    `event ${newest.id} was received at ${at}, which is in the future: the clock was set back`,
    false,
  );
}

/** Only warns of deliveries without a handler while no process runs: one that embeds Portaria may have it. */
async function checkDeliveries(
  statistics: StoreStatistics,
  store: Store,
  config: Config,
  local: Registry | undefined,
): Promise<readonly DoctorCheck[]> {
  const running = await store.processes();
  const load = (): Promise<Registry> => (local === undefined ? loadRegistry(config) : Promise.resolve(local));
  // A folder that cannot be loaded has a failed check of its own.
  const isBroken = local === undefined && config.handlersFolder !== null;
  const registry =
    running.length === 0 || isBroken
      ? local
      : (await knownHandlers({ processes: async () => running }, config, load)).registry;
  const { deliveries } = statistics;
  const hint = deliveries.dead > 0 ? ' (see `portaria deliveries list --status dead`)' : '';
  const name = 'deliveries';
  const waiting =
    running.length === 0 && registry ? unregisteredWarning(statistics, registry.deliveryNames) : null;
  return [
    ...(running.length > 0 && registry ? [checkHandlers(registry, ownerText(running))] : []),
    found(name, `${countsText(deliveries)}${hint}`),
    ...(waiting ? [found(name, waiting, 'warning')] : []),
    ...(registry ? await checkUndelivered(store, registry) : []),
  ];
}

/** Finds events that a handler takes and never got: a process without it stored them. One check for each handler. */
async function checkUndelivered(store: Store, registry: Registry): Promise<readonly DoctorCheck[]> {
  const names = registry.definitions.map(({ name }) => name);
  const undelivered = (await store.undelivered(names, NEWEST_EVENTS)).filter((each) =>
    registry.routesFor(each, each.source).some(({ handler }) => handler === each.handler),
  );
  return [...Map.groupBy(undelivered, ({ handler }) => handler)].map(([handler, all]) => {
    const events = all.reduce((sum, each) => sum + each.events, 0);
    const since = instantText(Math.min(...all.map((each) => each.since)));
    const until = instantText(Math.max(...all.map(({ last }) => last)) + 1);
    return found(
      'undelivered',
      `handler ${handler} never got ${countOf(events, 'event')} of the newest ${NEWEST_EVENTS.toLocaleString('en')}; ` +
        `\`portaria replay --handler ${handler} --since ${since} --until ${until} --if-not-succeeded\``,
      'attention',
    );
  });
}

/** Lists handlers, with the number of kinds that none of them takes. */
export function checkHandlers(registry: Registry, owner: string): DoctorCheck {
  const names = registry.definitions.map(({ name }) => name);
  const uncovered = registry.coverage().filter(({ handlers }) => handlers.length === 0);
  const gap =
    uncovered.length === 0
      ? 'every kind has a handler'
      : `${String(uncovered.length)} kinds have no handler (see \`portaria handlers list --uncovered\`)`;
  return found('handlers', `of ${owner}: ${names.join(', ') || 'none'}; ${gap}`);
}

/** A run of retention that is overdue by this many milliseconds did not happen. */
const OVERDUE_MS = 5 * 60_000;

/** Asks for attention when content is to be pruned and no process did it in time. */
function checkRetention({ retention }: StatisticsView, { keep }: Config, now: number): DoctorCheck {
  const name = 'retention';
  const detail = `pruned: ${prunedText(retention)}; oldest body: ${readableTime(retention.oldest_body_at) || 'none'}`;
  const isWanted = Object.values(keep).some((period) => period !== null);
  const next = retention.next_run_at === null ? -Infinity : Date.parse(retention.next_run_at);
  if (!isWanted || next > now - OVERDUE_MS) return found(name, detail);
  return found(
    name,
    `${detail}: no process prunes; start \`portaria serve\` with these settings`,
    'attention',
  );
}

/** Warns of a file that is largely free and cannot give the space back by itself. */
function checkSpace(statistics: StatisticsView): DoctorCheck {
  const { bytes, free_bytes: free, gives_back_space: inSteps } = statistics;
  const detail = sizeText(statistics);
  const isLarge = !inSteps && free >= MIN_FREE_BYTES && free >= bytes * FREE_WARNING_SHARE;
  return isLarge
    ? found('size', `${detail}: stop serve and run \`portaria store compact\``, 'warning')
    : found('size', detail);
}

/** Never fails: a full quarantine drops its oldest entries, and everything else works on. */
function checkQuarantine(statistics: StoreStatistics): DoctorCheck {
  const { quarantined, quarantineBytes, quarantineMaxBytes, quarantineDropped } = statistics;
  const share = quarantineBytes / quarantineMaxBytes;
  const detail =
    `${String(quarantined)} held, ${readableBytes(quarantineBytes)} of ${readableBytes(quarantineMaxBytes)}; ` +
    droppedText(quarantineDropped);
  if (share < QUARANTINE_WARNING_SHARE) return found('quarantine', detail);
  const percent = String(Math.floor(share * 100));
  return found(
    'quarantine',
    `${detail}: ${percent} % full, and when full the oldest entries are dropped; run \`portaria quarantine release\`, verify senders, or raise PORTARIA_MAX_QUARANTINE_BYTES`,
    'warning',
  );
}

/** The oldest alert goes first, so the others wait for what it waits for. */
function checkAlerts({ waitingAlerts, alertError }: MonitoringState): readonly DoctorCheck[] {
  if (alertError === null) return [];
  const detail = `${countOf(waitingAlerts, 'message')} cannot be delivered (${alertError}): mend PORTARIA_ALERT_URL or its target; serve sends again by itself`;
  return [found('alerts', detail, 'attention')];
}

/** When the last event of each source arrived. `stats` shows each kind. */
function checkArrivals(received: readonly ReceivedKind[], now: number): readonly DoctorCheck[] {
  return [...Map.groupBy(received, ({ source }) => source)].map(([source, kinds]) => {
    const last = kinds.reduce((one, other) => (other.lastReceivedAt > one.lastReceivedAt ? other : one));
    const kind = last.kind || 'an unknown kind';
    const ago = durationText(Math.max(0, now - last.lastReceivedAt));
    return found('last received', `${source}: ${kind} at ${localTime(last.lastReceivedAt)}, ${ago} ago`);
  });
}

/** Without the handlers folder nothing is known of its kinds, so none is called unknown. */
function checkExpectations({ expected }: Config, local: Registry | undefined): readonly DoctorCheck[] {
  const unknown = local === undefined ? [] : unknownExpectations(expected, local.contract);
  return unknown.map((detail) => found('settings', detail, 'warning'));
}

function attentionChecks({ problems, quiet }: Observation): readonly DoctorCheck[] {
  return [
    ...quiet.map(({ problem, summary }) => found(problem, summary)),
    ...problems.map(({ problem, summary, remedy }) => found(problem, `${summary}; ${remedy}`, 'attention')),
  ];
}

/**
 * Counts the kinds that arrived as unrecognized, by the definitions of now, as `contract drift` does. Never fails:
 * `observe` finds those that need attention.
 */
async function checkKinds(store: Store, received: readonly ReceivedKind[], knows: KnowsKind): Promise<Check> {
  const unrecognized = received.filter(({ recognized }) => !recognized);
  const others = unrecognized.filter(({ kind }) => kind === '');
  const unknown = unrecognized.filter(({ source, kind }) => kind !== '' && !knows(source, kind));
  const defined = await definedLater(store, knows);
  const parts = [
    unknown.length === 0
      ? 'no kind outside the contract has arrived'
      : `${countOf(unknown.length, 'kind')} outside the contract ${unknown.length === 1 ? 'has' : 'have'} arrived (\`portaria contract drift\` names ${unknown.length === 1 ? 'it' : 'them'})`,
    ...(defined.length === 0
      ? []
      : [
          `events of ${countOf(defined.length, 'kind')} came before ${defined.length === 1 ? 'it was' : 'they were'} defined (\`portaria events recognize --plan\`)`,
        ]),
    ...(others.length === 0 ? [] : [`${String(eventsOf(others))} events of others together`]),
  ];
  return found('unknown kinds', parts.join('; '));
}

function eventsOf(kinds: readonly ReceivedKind[]): number {
  return kinds.reduce((sum, { events }) => sum + events, 0);
}
