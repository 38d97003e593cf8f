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
    const row = rows.get(key) ?? { handler, finding, what: scrub(what), attention, count: 0, sample };
    rows.set(key, { ...row, count: row.count + 1 });
  }
  const sorted = () => [...rows.values()].sort((one, other) => one.handler.localeCompare(other.handler));
  return { add, sorted };
}

/** What each handler does: outcomes, requests by method and address, effects, and states that are not the stored ones. */
export function describe({ runs, states }: Rehearsed): readonly Finding[] {
  const { add, sorted } = collector();
  for (const run of runs.values()) {
    const { outcome, reason, requests, effects } = run;
    add(run, outcome, outcome === 'fails', reason ?? '', errorKind(reason ?? ''));
    for (const { method, url } of requests)
      add(run, 'sends', false, `${method} ${maskAddress(url, (segment) => !/\d/u.test(segment))}`);
    for (const effect of effects) add(run, 'runs effect', false, effect);
  }
  for (const state of states.values()) {
    const move = moveOf(state.before, state.after);
    if (move !== null) add(state, 'changes state', state.before !== null, move);
  }
  return sorted();
}

/** What the new handlers do otherwise. What differs between two runs of the old ones is noise, and left out. */
export function compare(old: Rehearsed, again: Rehearsed, next: Rehearsed): readonly Finding[] {
  const { add, sorted } = collector();
  const noise = new Set<string>();
  for (const [key, run] of old.runs)
    for (const path of differing(factsOf(run), factsOf(again.runs.get(key)))) {
      noise.add(`${run.handler} ${path}`);
      add(run, 'noise', false, kindOf(path));
    }
  const personalNames = new Set([...old.personalNames, ...next.personalNames]);
  const mask = (value: JsonValue) =>
    typeof value === 'string'
      ? `text of ${countOf(value.length, 'character')}`
      : maskByName(value, { personalNames });
  const shown = (run: RunResult, path: string) => {
    const value = maskText(factsOf(run, mask, (url) => maskAddress(url)).get(path) ?? 'nothing');
    if (path.split(/[[\]."]+/u).some(isCredential)) return MASK;
    return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
  };

  for (const key of new Set([...old.runs.keys(), ...next.runs.keys()])) {
    const [before, after] = [old.runs.get(key), next.runs.get(key)];
    if (before === undefined || after === undefined) {
      const run = before ?? after;
      if (run !== undefined) add(run, before === undefined ? 'is new' : 'is gone', true);
      continue;
    }
    const paths = differing(factsOf(before), factsOf(after)).filter(
      (path) => !noise.has(`${after.handler} ${path}`),
    );
    if (paths.length === 0) {
      const { outcome, reason } = after;
      if (outcome === 'fails') add(after, 'fails as before', false, reason ?? '', errorKind(reason ?? ''));
      else add(after, 'equal');
    }
    for (const path of paths) {
      const [from, to] = [shown(before, path), shown(after, path)];
      if (path === 'outcome')
        add(after, `now ${after.outcome}`, true, after.reason ?? '', errorKind(after.reason ?? ''));
      else if (path.startsWith('effect')) add(after, 'now runs another effect', true, `${from} → ${to}`);
      else add(after, 'now sends another request', true, `${kindOf(path)}: ${from} → ${to}`, kindOf(path));
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
  address = (url: string): string => url,
): Facts {
  if (run === undefined) return new Map();
  // The kind alone: the line that threw is another one in another folder.
  const facts: Facts = new Map([['outcome', `${run.outcome} ${errorKind(run.reason ?? '')}`]]);
  for (const [at, effect] of run.effects.entries()) facts.set(`effect[${String(at)}]`, effect);
  for (const [at, { method, url, body }] of run.requests.entries()) {
    facts.set(`request[${String(at)}]`, `${method} ${address(url)}`);
    flatten(mask(parsed(body)), `body[${String(at)}]`, facts);
  }
  return facts;
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
  const [old, now] = [before, after].map((state) => phasesOf(state).join(', ') || 'a state');
  if (old !== now) return `${before === null ? 'none' : old} → ${now}`;
  return `${now}: other ${[...new Set(paths.map((path) => kindOf(path).replace(/^\./u, '')))].join(', ')}`;
}
