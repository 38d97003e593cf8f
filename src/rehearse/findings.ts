/** Says what rehearsed handlers do, or what they do otherwise than others. */
import { isShownName, MASK, maskPath } from '../contract/personal-data.ts';
import { errorKind } from '../kernel/text/error-kind.ts';
import { countOf } from '../kernel/text/count.ts';
import { isCredential, maskText, scrub } from '../kernel/text/scrub.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { phasesOf } from '../store/state-phases.ts';
import { maskByName } from '../view/machine-view.ts';
import type { Rehearsed, RunResult } from './protocol.ts';

/** A row of the command: what happens how often, and an event with which it does. */
export interface Finding {
  readonly handler: string;
  readonly finding: string;
  readonly what: string;
  /** Whether it is a failure or a difference. */
  readonly attention: boolean;
  readonly count: number;
  readonly sample: string;
}

/** Values by their path; those of lists have an index in it. */
type Facts = Map<string, string>;

/** The body of a form. */
const FORM = /^[\w.%+*[\]-]+=[^&=\s]*(?:&[\w.%+*[\]-]+=[^&=\s]*)*$/u;

/** Characters of a value that a row shows: it shows two. */
const MAX_VALUE = 200;

/** Counts what happens; what is of the same kind is one row. */
function collector() {
  const rows = new Map<string, Finding>();
  function add(
    of: Pick<RunResult, 'handler' | 'event'>,
    finding: string,
    attention = false,
    what = '',
    kind = what,
  ) {
    const { handler, event: sample } = of;
    const key = JSON.stringify([handler, finding, kind]);
    const row = rows.get(key) ?? { handler, finding, what, attention, count: 0, sample };
    rows.set(key, { ...row, count: row.count + 1 });
  }
  function addOutcome(run: RunResult, finding: string, attention: boolean) {
    add(run, finding, attention, scrub(run.reason ?? ''), errorKind(run.reason ?? ''));
  }
  const sorted = () => [...rows.values()].sort((one, other) => one.handler.localeCompare(other.handler));
  return { add, addOutcome, sorted };
}

/** What each handler does: outcomes, requests by method and address, effects, and states that are not the stored ones. */
export function describe({ runs, states }: Rehearsed): readonly Finding[] {
  const { add, addOutcome, sorted } = collector();
  for (const run of runs.values()) {
    addOutcome(run, run.outcome, run.outcome === 'fails');
    for (const { method, url } of run.requests)
      add(run, 'sends', false, scrub(`${method} ${maskAddress(url, (segment) => !/\d/u.test(segment))}`));
    for (const effect of run.effects) add(run, 'runs effect', false, effect);
  }
  for (const state of states.values()) {
    const move = moveOf(state.before, state.after);
    if (move !== null) add(state, 'changes state', state.before !== null, move);
  }
  return sorted();
}

/** What the new handlers do otherwise. What differs between two runs of the old ones is noise, and left out. */
export function compare(old: Rehearsed, again: Rehearsed, next: Rehearsed): readonly Finding[] {
  const { add, addOutcome, sorted } = collector();
  const personalNames = new Set([...old.personalNames, ...next.personalNames]);
  const mask = (value: JsonValue) =>
    typeof value === 'string'
      ? `text of ${countOf(value.length, 'character')}`
      : maskByName(value, { personalNames });

  for (const key of new Set([...old.runs.keys(), ...next.runs.keys()])) {
    const [before, twice, after] = [old, again, next].map(({ runs }) => runs.get(key));
    const facts = factsOf(before);
    const noise = new Set(before === undefined ? [] : differing(facts, factsOf(twice)));
    if (before !== undefined) for (const path of noise) add(before, 'noise', false, kindOf(path));
    if (before === undefined || after === undefined) {
      const run = before ?? after;
      if (run !== undefined) add(run, before === undefined ? 'is new' : 'is gone', true);
      continue;
    }
    const fails = after.outcome === 'fails';
    // A failure is none where an old run did not fail.
    if (fails && [before, twice].some((run) => run?.outcome !== 'fails')) noise.delete('outcome');
    const paths = differing(facts, factsOf(after)).filter((path) => !noise.has(path));
    if (paths.length === 0) addOutcome(after, fails ? 'fails as before' : 'equal', fails);
    const [from, to] =
      paths.length === 0 ? [] : [shownFacts(before, after, mask), shownFacts(after, before, mask)];
    for (const path of paths) {
      const change = `${shown(path, from)} → ${shown(path, to)}`;
      if (path === 'outcome') addOutcome(after, `now ${after.outcome}`, true);
      else if (path.startsWith('effect')) add(after, 'now runs another effect', true, change);
      else add(after, 'now sends another request', true, `${kindOf(path)}: ${change}`, kindOf(path));
    }
  }
  for (const [key, state] of next.states) {
    const move = moveOf(old.states.get(key)?.after ?? state.before, state.after);
    if (move !== null) add(state, 'now in another state', true, move);
  }
  return sorted();
}

function factsOf(
  run: RunResult | undefined,
  mask = (value: JsonValue): JsonValue => value,
  address = (url: string, _at: number): string => url,
): Facts {
  if (run === undefined) return new Map();
  // The kind alone: the line that threw is another one in another folder.
  const facts: Facts = new Map([['outcome', `${run.outcome} ${errorKind(run.reason ?? '')}`]]);
  for (const [at, effect] of run.effects.entries()) facts.set(`effect[${String(at)}]`, effect);
  for (const [at, { method, url, body }] of run.requests.entries()) {
    facts.set(`request[${String(at)}]`, `${method} ${address(url, at)}`);
    flatten(mask(parsed(body)), `body[${String(at)}]`, facts);
  }
  return facts;
}

/** Masked facts; of the queries of addresses, the names that differ from those of the other run. */
function shownFacts(run: RunResult, other: RunResult, mask: (value: JsonValue) => JsonValue): Facts {
  return factsOf(
    run,
    mask,
    (url, at) => maskText(maskAddress(url)) + changedQuery(url, other.requests[at]?.url),
  );
}

function shown(path: string, facts: Facts = new Map()): string {
  if (path.split(/[[\]."]+/u).some(isCredential)) return MASK;
  const given = facts.get(path) ?? 'nothing';
  const value = path.startsWith('request') ? given : maskText(given);
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
}

function changedQuery(address: string, other = ''): string {
  const [query, before] = [queryOf(address), queryOf(other)] as const;
  const names = [...new Set(query.keys())].filter(
    (name) => JSON.stringify(query.getAll(name)) !== JSON.stringify(before.getAll(name)),
  );
  return names
    .map((name, at) => `${at === 0 ? '?' : '&'}${isShownName(name) ? name : MASK}=${MASK}`)
    .join('');
}

function queryOf(address: string): URLSearchParams {
  return new URLSearchParams(URL.parse(address)?.search);
}

function flatten(value: JsonValue, path = '', into: Facts = new Map()): Facts {
  if (typeof value !== 'object' || value === null) return into.set(path, JSON.stringify(value));
  for (const [name, member] of Object.entries(value))
    if (Array.isArray(value)) flatten(member, `${path}[${name}]`, into);
    else flatten(member, path + (isShownName(name) ? `.${name}` : `[${JSON.stringify(name)}]`), into);
  return into;
}

function parsed(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    if (!FORM.test(body)) return body;
    const form = new URLSearchParams(body);
    return Object.fromEntries([...form.keys()].map((name) => [name, form.getAll(name)]));
  }
}

function differing(one: Facts, other: Facts): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
}

/** The path of a value without the indexes of lists, and without names that may be personal. */
function kindOf(path: string): string {
  return maskPath(path.replaceAll(/\[\d+\]/gu, ''));
}

/** An address without its query. Segments that may be personal are `*`, and others that are not to be shown. */
function maskAddress(address: string, isShown: (segment: string) => boolean = () => true): string {
  const url = URL.parse(address);
  if (url === null || url.host === '') return address;
  const segments = url.pathname.split('/').map((each) => (isPlain(each) && isShown(each) ? each : '*'));
  return url.origin + segments.join('/');
}

/** Whether a segment of an address is a word of a program, or a short number. */
function isPlain(segment: string): boolean {
  return segment.split('.').every((part) => part === '' || isShownName(part) || /^\d{1,7}$/u.test(part));
}

/** How a state moved; null where it is the same. */
function moveOf(before: JsonValue, after: JsonValue): string | null {
  const paths = differing(flatten(before), flatten(after));
  if (paths.length === 0) return null;
  const [old, now] = [before, after].map((state) => scrub(phasesOf(state).join(', ')) || 'a state');
  if (old !== now) return `${before === null ? 'none' : old} → ${now}`;
  return `${now}: other ${[...new Set(paths.map((path) => kindOf(path).replace(/^\./u, '')))].join(', ')}`;
}
