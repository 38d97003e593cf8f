/** The words of the console, in English. */
import { pageWords } from '../../pages/language/page-words.ts';
import { refusals, type Refusal } from '../../kernel/refusals.ts';
import { say } from '../../kernel/text/sentences.ts';
import { counting } from '../../pages/language/count.ts';
import { jobWords } from './jobs.ts';
import { planWords } from './plans.ts';
import type { Rate } from '../../handle/load/rates.ts';
import type { DeliveryStatus } from '../../store/queries.ts';
import { auditWords, signOnWords } from './audit.ts';
import { chartWords } from './charts.ts';
import { pauseWords } from './pauses.ts';
import { problemWords } from './problems.ts';
import { erasureWords } from './erasures.ts';
import { privacyWords } from './privacy.ts';
import { payloadWords } from './payload.ts';
import { searchWords } from './search.ts';
import { contractWords } from './contract.ts';
import { machineWords } from './machines.ts';
import { quarantineWords } from './quarantine.ts';
import { reconcileWords } from './reconcile.ts';
import { watchWords } from './watch.ts';
import { storyWords } from './story.ts';
import { keyWords, liveWords } from './live.ts';

const { many } = counting('en');

const delivery: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'waiting',
  running: 'running',
  succeeded: 'succeeded',
  dead: 'failed',
  skipped: 'skipped',
};

/** The console in English, by page. Functions form sentences with numbers and names. */
export const english = {
  frame: {
    ...pageWords.en.frame,
    search: 'Search',
    searchHint: 'Event id, subject, kind or text',
    zone: 'Times in',
    signOut: 'Sign out',
    updates: 'This page updates every 2 s.',
    names: {
      overview: 'Overview',
      live: 'Live',
      events: 'Events',
      failures: 'Failures',
      quarantine: 'Quarantine',
      handlers: 'Handlers',
      audit: 'Audit',
      privacy: 'Personal data',
      system: 'System',
      jobs: 'Jobs',
      machines: 'Machines',
      contract: 'Contract',
      senders: 'Senders',
    },
  },
  signIn: {
    title: 'Sign in',
    token: 'Token',
    explain: 'The token is the value of PORTARIA_OPS_TOKEN, or of PORTARIA_OPS_VIEW_TOKEN for reading only.',
    wrong: 'This is neither token of this Portaria. Check the setting, and that nothing was cut off.',
  },
  list: {
    ...pageWords.en.list,
    badTime: (text: string): string =>
      `Write a time as 2026-11-22 13:00, or as 30m, 2h or 7d before now, not ${text}.`,
    badSubject: (text: string): string =>
      `Write a subject as family:id, for example company:12, not ${text}.`,
    timeHint: '2026-11-22 13:00',
    time: 'Time',
    more: 'More',
    without: (filter: string): string => `Remove the filter ${filter}`,
  },
  delivery,
  verdict: { new: 'new', stale: 'stale', ambiguous: 'ambiguous' },
  outcome: {
    none: 'no handler',
    dead: (count: number, all: number): string =>
      all === 1 ? 'failed' : `${String(count)} of ${String(all)} failed`,
    running: (count: number, all: number): string =>
      all === 1 ? 'running' : `${String(count)} of ${String(all)} running`,
    pending: (count: number, all: number): string =>
      all === 1 ? 'waiting' : `${String(count)} of ${String(all)} waiting`,
    skipped: (count: number, all: number): string =>
      all === 1 ? 'skipped' : `${String(count)} of ${String(all)} skipped`,
    done: (all: number): string => (all === 1 ? 'done' : `${String(all)} done`),
  },
  /** Headings of columns, and labels of fields, that several pages have. */
  columns: {
    received: 'Received',
    kind: 'Kind',
    subject: 'Subject',
    subjects: 'Subjects',
    event: 'Event',
    source: 'Source',
    verdict: 'Verdict',
    version: 'Version',
    field: 'Field',
    meaning: 'Meaning',
    sample: 'Sample',
    handler: 'Handler',
    deliveries: 'Deliveries',
    webhooks: 'Webhooks',
    attempts: 'Attempts',
    state: 'State',
    failed: 'Failed',
    error: 'Error',
    problem: 'Problem',
    result: 'Result',
    reason: 'Reason',
    why: 'Why',
    what: 'What',
    where: 'Where',
    by: 'By',
    since: 'Since',
    until: 'Until',
    from: 'From',
  },
  overview: {
    quiet: 'Nothing needs you',
    attention: (count: number): string => `${many(count, 'thing')} ${count === 1 ? 'needs' : 'need'} you`,
    lead: (events: number, repeats: number): string =>
      `${many(events, 'event')} stored, ${many(repeats, 'repeat')} recognized.`,
    dead: (count: number, handler: string): string =>
      `${many(count, 'delivery', 'deliveries')} to ${handler} failed.`,
    breakerOpen: (handler: string): string =>
      `The breaker of ${handler} is open, because it kept failing. Its events wait.`,
    /** By what the probe of readiness says. */
    notReady: {
      'not started yet': 'Webhooks are not accepted: not started yet.',
      stopping: 'Webhooks are not accepted: stopping.',
    },
    kinds: 'Kinds with the most events',
    allKinds: (count: number): string => `All ${String(count)} kinds`,
    last: 'Last',
    none: 'No webhook has arrived yet. Send a sample with: portaria send company.created',
  },
  events: {
    lead: 'Webhooks that were accepted, newest first. A repeat is counted on the event that it repeats.',
    outcome: 'Outcome',
    flag: 'Flag',
    repeats: (count: number): string => `repeated ${many(count, 'time')}`,
    kindHint: 'charge.*',
    subjectHint: 'family:id',
    empty: 'No event matches. Remove a filter, or check the spelling of the kind.',
    badFilter: 'The filter was not applied:',
  },
  event: {
    title: (id: string): string => `Event ${id}`,
    changed: 'What changed since the event before',
    first: 'This is the first known event of its subject.',
    unchanged: 'Nothing differs from the event before.',
    was: 'was',
    is: 'is',
    absent: 'absent',
    maskedChange: 'changed (masked)',
    payload: 'As it was sent',
    bytes: (size: string, masked: boolean): string => (masked ? `${size}, personal data masked` : size),
    purged: 'The payload was deleted. Its digest is kept, so a repeat is still recognized.',
    maskedValue: 'personal data, masked',
    members: (count: number): string => many(count, 'member'),
    deliveries: 'What became of it',
    noDeliveries: 'No handler receives this kind, so nothing ran.',
    attempts: (count: number): string => many(count, 'attempt'),
    waitsForRate: 'Waits for its rate until',
    headers: 'Request headers that were kept',
    unmask: 'Show personal data',
    mask: 'Mask personal data',
    older: 'Its handler has handled a later event, so a retry would bring older content on top:',
    retry: 'Retry',
    retried: (count: number): string =>
      `${many(count, 'delivery', 'deliveries')} will run again, at the head of their lanes.`,
    notRetried: 'Nothing was retried: the delivery is no longer failed.',
    finished: 'Finished',
    flags: 'Flags',
    messageId: 'Message id',
    verdicts: {
      new: 'New: it was the latest of its subject when it came, and no duplicate.',
      stale: (before: string): string =>
        `Stale. A newer event of its subject was known when it arrived${before}. Machines fold it in its place; handlers receive it only if they ask for stale events.`,
      ambiguous:
        'Ambiguous. Its subject returned to an earlier content. A late repeat and a real change look the same.',
    },
    repeated: (count: number): string =>
      `It was repeated ${many(count, 'time')} and recognized each time, last at`,
  },
  subject: {
    lead: (count: number): string => `${many(count, 'event')}.`,
    unknown: (subject: string): string => `No event of ${subject} has come`,
    unknownWhy: 'Its id may be mistyped, or belong to another family.',
    sameId: 'Subjects with this id',
    naming: 'Subjects whose payload names this company',
    searchFor: 'Search the payloads for this id',
    changed: 'What changed',
    story: 'Its events',
    inOrder: 'They arrived in the order in which they changed.',
    orders: 'Order of arrival beside order of versions',
    byVersion: 'when it changed',
    byArrival: 'when it arrived',
  },
  failures: {
    lead: 'Deliveries that have failed and are not tried again. A retry puts a delivery first of its subject.',
    none: 'No failed delivery is open.',
    finished: 'Failed',
  },
  quarantine: quarantineWords.en,
  handlers: {
    lead: 'The handlers and machines of this process.',
    name: 'Name',
    kinds: 'Kinds',
    order: 'One at a time',
    orders: {
      subject: 'for each subject',
      latest: 'the newest of each subject',
      handler: 'in all',
      none: 'no',
    },
    waiting: 'Waiting',
    running: 'Running',
    failing: 'Retrying',
    runs: 'runs',
    waits: 'What waits longest',
    noWaits: 'Nothing waits.',
    failures: 'Failures by error',
    periods: ['Last hour', 'Last 24 hours'],
    atMost: (count: number): string => `at most ${String(count)} for each delivery`,
    rate: 'Rate',
    rateOf: ({ limit, per, burst, key }: Rate): string =>
      `${String(limit)} ${per === 'hour' ? 'an' : 'a'} ${per} at most${burst > 1 ? `, ${String(burst)} at once` : ''}${key === undefined ? '' : ', for each key'}`,
    noRate: 'no limit of its own: as many at once as the process runs (PORTARIA_CONCURRENCY)',
    transaction: 'Transaction',
    once: 'yes: what it writes is committed once',
    breaker: 'Breaker',
    breakerOpen: (probe: string | null): string =>
      probe === null
        ? 'Its breaker is open, and a probe runs.'
        : `Its breaker is open; the next probe is in ${probe}.`,
    rateWaits: (count: number): string =>
      `${many(count, 'subject')} ${count === 1 ? 'waits' : 'wait'} for its rate, the first goes on`,
    rateClosed: 'its target has asked for a pause, which ends',
  },
  system: {
    lead: (version: string): string => `Portaria ${version}`,
    checks: 'Checks of the store',
    ok: 'ok',
    failed: 'failed',
    warning: 'look at it',
    store: 'Store',
    storeId: 'Store id',
    location: 'Address',
    size: 'Size',
    processes: 'Running processes',
    processesLead: 'They run the deliveries of this store. The one that leads also does the periodic work.',
    noProcesses: 'None runs deliveries.',
    process: 'Process',
    on: (pid: number, host: string): string => `${String(pid)} on ${host}`,
    seen: 'Last heartbeat',
    role: 'Role',
    leads: 'leads',
    inFlight: 'In flight',
  },
  errors: {
    ...pageWords.en.errors,
    notFound: 'There is no such page',
    notFoundWhy: 'The address may be mistyped, or what it names is gone.',
    notFoundNamed: (path: string): string => `Nothing is at ${path}.`,
    forbidden: 'You may not do this',
    forbiddenWhy: {
      operate: 'Your token reads only. Sign in with PORTARIA_OPS_TOKEN to change something.',
      unmask: 'Your token sees masked data only. Sign in with PORTARIA_OPS_TOKEN to unmask.',
      view: 'Sign in to see this page.',
    },
    back: 'Back to the overview',
  },
  audit: auditWords.en,
  signOn: signOnWords.en,
  pauses: pauseWords.en,
  charts: chartWords.en,
  problems: problemWords.en,
  watch: watchWords.en,
  reconcile: reconcileWords.en,
  payload: payloadWords.en,
  privacy: privacyWords.en,
  erasures: erasureWords.en,
  search: searchWords.en,
  ...jobWords.en,
  ...planWords.en,
  machines: machineWords.en,
  contract: contractWords.en,
  story: storyWords.en,
  live: liveWords.en,
  refused: (refusal: Refusal): string => say(refusals, refusal),
  keys: keyWords.en,
};

/** Every word of the console in one language. Other languages must match it. */
export type Words = typeof english;
