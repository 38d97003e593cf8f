import { eventually } from '../../support/eventually.ts';
import type { Program } from '../../support/launch-program.ts';
import { textOf } from '../../support/page-text.ts';
import type { startPager } from '../../support/pager.ts';
import { portaria, rowsOf, type RunningPortaria } from '../../support/running-portaria.ts';

/** What an operator is told, by each that tells something, in lines. */
interface Said<Line> {
  readonly alerts: readonly Line[];
  readonly log: readonly Line[];
  readonly doctor: readonly Line[];
  readonly console: readonly Line[];
}

/** What a log says of an outage that is over. */
interface Outage {
  readonly away_ms: number;
  readonly refused: number;
}

/** A line of a log, or of `watch`. */
interface Line extends Partial<Outage> {
  readonly level: number;
  readonly msg: string;
  readonly event_name?: string;
  readonly handler?: string;
  readonly change?: string;
  readonly problem?: string;
}

export interface Night {
  /** Goes on reading what a receiver printed once another one has its place. */
  keep(receiver: RunningPortaria): void;
  /** Also hears what `watch --json` says: no alert comes from a process that does not run. */
  hear(watch: Program): void;
  /**
   * Waits for the alerts, and until all that was said since the last call is what is true. Fails if too little, too
   * much or something else was said.
   *
   * @param beside lines of the log that are true as well, and come if something was under way
   */
  expectSaid(truth: string, expected: Said<string | RegExp>, beside?: RegExp): Promise<void>;
  /** What the logs have said of outages. */
  outages(): readonly Outage[];
}

interface NightDeps {
  readonly pager: Awaited<ReturnType<typeof startPager>>;
  /** The settings of commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly running: () => readonly RunningPortaria[];
}

/** The level of log lines from which an operator should read them. */
const WARN = 40;

/** What tells of an end is no warning. */
const ENDS = ['problem.ended', 'store.back'];

export function watchNight({ pager, env, running }: NightDeps): Night {
  const receivers = new Set<RunningPortaria['written']>();
  let watched: Program['out'] = () => '';
  /** What was compared before: messages of the pager, lines of the watch, and characters of each receiver. */
  let read = { told: 0, seen: 0, printed: new Map<RunningPortaria['written'], number>() };

  function seen(): readonly string[] {
    return linesOf(watched()).map(({ change = '', problem = '' }) => `watch: ${change} ${problem}`);
  }

  /** Each message once: every process that cannot write the store says so. */
  function alerts(): readonly string[] {
    return [...new Set([...pager.told().slice(read.told), ...seen().slice(read.seen)])];
  }

  const printed = () => {
    for (const { written } of running()) receivers.add(written);
    return [...receivers].map((written) => ({ written, text: written() }));
  };

  /** Each warning, error and end once. The first attempts that `booking.ts` fails are no problem. */
  function log(): readonly string[] {
    const lines = printed()
      .flatMap(({ written, text }) => linesOf(text.slice(read.printed.get(written) ?? 0)))
      .filter(({ level, event_name: name = '' }) => level >= WARN || ENDS.includes(name))
      .filter(({ handler }) => handler !== 'booked')
      .map(({ event_name: name, msg }) => `${name ?? 'line'}: ${msg}`);
    return [...Map.groupBy(lines, (line) => line.replaceAll(/[\d.]+/gu, '0')).values()].flatMap(
      ([one]) => one ?? [],
    );
  }

  return {
    keep: ({ written }) => void receivers.add(written),
    hear({ out }) {
      watched = out;
    },
    async expectSaid(truth, expected, beside = /^$/u) {
      for (const message of expected.alerts)
        await eventually(`the alert: ${String(message)}`, () => alerts().some((said) => said === message));
      for (const line of expected.log)
        await eventually(`the line: ${String(line)}`, () =>
          log().some((said) => new RegExp(line).test(said)),
        );
      const look = async () => ({
        ...{ alerts: alerts(), log: log().filter((line) => !beside.test(line)) },
        ...{ doctor: await doctorSays(env), console: await consoleSays(running()[0]) },
      });
      let said = await look();
      // What another process has found comes to this one with its next look.
      await eventually(truth, async () => {
        said = await look();
        return differences(said, expected).length === 0;
      }).catch(() => undefined);
      read = {
        told: pager.told().length,
        seen: seen().length,
        printed: new Map(printed().map(({ written, text }) => [written, text.lastIndexOf('\n') + 1])),
      };
      print(truth, said);
      // A report of tests shortens what was compared, and keeps a message whole.
      const [first, ...more] = differences(said, expected);
      if (first !== undefined) throw new Error([`${truth}:`, first, ...more].join('\n'));
    },
    outages: () =>
      printed()
        .flatMap(({ text }) => linesOf(text))
        .flatMap(({ away_ms, refused }) =>
          away_ms === undefined || refused === undefined ? [] : [{ away_ms, refused }],
        ),
  };
}

/** The lines of JSON in a text. */
function linesOf(text: string): readonly Line[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** The exit code, and the lines that need an operator. */
async function doctorSays(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { code, ...ended } = await portaria(['doctor', '--strict', '--json'], env);
  const rows = rowsOf({ ...ended, code: 0 }, ['doctor']);
  const urgent = rows.filter(({ state }) => state === 'attention' || state === 'failing');
  return [
    `exit ${String(code)}`,
    ...urgent.map(({ state, name, detail }) => `${String(state)} ${String(name)}: ${String(detail)}`),
  ];
}

/** The status and heading of the overview, and its problems. */
async function consoleSays(receiver: RunningPortaria | undefined): Promise<readonly string[]> {
  if (receiver === undefined) return ['no process answers'];
  const response = await fetch(receiver.operators, { headers: { accept: 'text/html' } });
  const html = await response.text();
  const [main = html] = /<h1>.*<\/main>/su.exec(html) ?? [];
  const [list = ''] = /<ul class="problems">.*?<\/ul>/su.exec(main) ?? [];
  const heading = response.ok ? main.slice(0, main.indexOf('</h1>')) : main;
  const problems = list.split('</li>').map(textOf);
  return [`${String(response.status)} ${textOf(heading)}`, ...problems.filter((line) => line !== '')];
}

/** Prints what was true, and what was said of it. */
function print(truth: string, said: Said<string>): void {
  const lines = Object.entries(said).flatMap(([who, all]: [string, readonly string[]]) =>
    (all.length === 0 ? ['-'] : all).map((line) => `    ${who.padEnd(8)} ${line.slice(0, 180)}\n`),
  );
  process.stdout.write(`  ${truth}\n${lines.join('')}`);
}

/** What was not said, and what was said beside it. Several processes say the lines in any order. */
function differences(said: Said<string>, expected: Said<string | RegExp>): readonly string[] {
  return (['alerts', 'log', 'doctor', 'console'] as const).flatMap((who) => {
    const rest = [...said[who]];
    const missing = expected[who].filter((line) => {
      const place = rest.findIndex((one) => (typeof line === 'string' ? one === line : line.test(one)));
      if (place !== -1) rest.splice(place, 1);
      return place === -1;
    });
    return [
      ...missing.map((line) => `${who} did not say: ${String(line)}`),
      ...rest.map((line) => `${who} said: ${line}`),
    ];
  });
}
