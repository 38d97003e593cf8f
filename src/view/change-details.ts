/** What the audit adds to the entry of a change once it is made: how many, and which. */
import type {
  DiscardView,
  EntryDiscardView,
  RebuildView,
  ReleaseView,
  RetryView,
} from './operation-views.ts';
import type { PauseView } from './pause-view.ts';

/** Counts and ids by name. The audit bounds the ids of an entry. */
export type ChangeDetails = Readonly<Record<string, string | readonly string[]>>;

/** Ids that the request named; undefined if conditions selected the rows. */
type NamedIds = readonly string[] | undefined;

export function retryDetails({ retried, left_alone: left }: RetryView, named: NamedIds): ChangeDetails {
  return { retried: String(retried.length), ...idsOf('deliveries', retried, named), ...leftAlone(left) };
}

export function discardDetails({ discarded, left_alone: left }: DiscardView, named: NamedIds): ChangeDetails {
  return {
    discarded: String(discarded.length),
    ...idsOf('deliveries', discarded, named),
    ...leftAlone(left),
  };
}

export function entryDiscardDetails(
  { discarded, left_alone: left }: EntryDiscardView,
  named: NamedIds,
): ChangeDetails {
  return { discarded: String(discarded.length), ...idsOf('entries', discarded, named), ...leftAlone(left) };
}

/** Counts the entries by their outcome, and names those that left the quarantine. */
export function releaseDetails(releases: readonly ReleaseView[], named: NamedIds): ChangeDetails {
  const left = releases.filter(({ outcome }) => outcome === 'released' || outcome === 'duplicate');
  return {
    ...{ released: '0', held: '0' },
    ...countsOf(releases.map(({ outcome }) => outcome)),
    ...idsOf(
      'entries',
      left.map(({ id }) => id),
      named,
    ),
  };
}

/** @param outcomes one for each state */
export function rebuildDetails(outcomes: readonly RebuildView['outcome'][]): ChangeDetails {
  return { changed: '0', ...countsOf(outcomes) };
}

export function pauseDetails({ id, until }: PauseView): ChangeDetails {
  return { pause: id, ...(until !== null && { until }) };
}

export function resumeDetails(resumed: readonly PauseView[]): ChangeDetails {
  return { resumed: String(resumed.length), paused: resumed.map(({ id, scope }) => `${id} ${scope}`) };
}

/** Omits ids that the request named: the entry of the audit has them. */
function idsOf(name: string, ids: readonly string[], named: NamedIds): ChangeDetails {
  const isKnown = named !== undefined && new Set(named).size === ids.length;
  return ids.length === 0 || isKnown ? {} : { [name]: ids };
}

function leftAlone(left: readonly unknown[]): ChangeDetails {
  return left.length === 0 ? {} : { left_alone: String(left.length) };
}

function countsOf(outcomes: readonly string[]): ChangeDetails {
  const groups = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...groups].map(([outcome, those]) => [outcome, String(those.length)]));
}
