/** The pages of machines. */
import type { FC } from 'hono/jsx';
import { Diagram } from '../components/diagram.tsx';
import { CountLink, subjectAddress } from '../components/event-cells.tsx';
import { Listed } from '../components/facts.tsx';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import { State } from '../../pages/state.tsx';
import { Table, type Column } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { addressWith } from '../../pages/base-page.ts';
import { usePage, type Page } from '../page.ts';
import { subjectName } from '../../event/subject.ts';
import type { TransitionTable } from '../../handle/define/transition-table.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { PhaseCount, Anomaly, MachineState } from '../../store/machine-states.ts';
import type { SourceSubject } from '../../store/queries.ts';
import { instantText } from '../../view/instant-text.ts';
import { phasesOf } from '../../store/state-phases.ts';
import { errorText } from '../../view/payload/unmasking.ts';

/** Subjects of a page. */
const LIMIT = 50;
const LATEST_ANOMALIES = 20;

/** Adds the list of machines, and the page of each: its moves drawn, and its subjects by state. */
export function addMachinesPages(app: ConsoleApp, { store, registry, pageOf }: PagesDeps): void {
  const machines = registry.definitions.filter((definition) => definition.type === 'machine');

  app.get('/machines', async (c) => {
    const page = await pageOf(c);
    const { machines: words, columns, frame } = page.words;
    const own = machines.map(({ name }) => name);
    const names = [...own, ...(await store.machineNames()).filter((name) => !own.includes(name))];
    const rows = await Promise.all(
      names.map(async (name) => ({
        name,
        machine: machines.find((machine) => machine.name === name),
        counts: await store.phaseCounts(name),
        anomalous: await store.anomalousSubjects(name),
      })),
    );
    return c.html(
      <Frame page={page} current="machines" title={frame.names.machines}>
        <h1>{frame.names.machines}</h1>
        <p class="lead">{words.lead}</p>
        {rows.length === 0 && <Empty>{words.none}</Empty>}
        {rows.length > 0 && (
          <Table
            rows={rows}
            columns={[
              {
                head: words.machine,
                as: 'code',
                cell: ({ name, machine }) => (
                  <>
                    <a href={machineAddress(name)}>{name}</a>{' '}
                    {machine === undefined && <State tone="off" word={words.foreign} />}
                  </>
                ),
              },
              { head: words.follows, as: 'code', cell: ({ machine }) => machine?.on.join(', ') },
              {
                head: columns.subjects,
                as: 'number',
                cell: ({ name, counts }) => <a href={machineAddress(name)}>{totalOf(counts, page)}</a>,
              },
              {
                head: words.phases,
                cell: ({ name, counts, machine }) => (
                  <span class="links">
                    {byPhase(counts, machine?.table ?? null).map(([phase, count]) => (
                      <a href={phaseAddress(name, phase)}>
                        {errorText(phase, page)} {page.format.number(count.subjects, count.more)}
                      </a>
                    ))}
                  </span>
                ),
              },
              {
                head: words.withAnomalies,
                as: 'number',
                cell: ({ name, anomalous: { subjects, more } }) => (
                  <CountLink
                    {...{ count: subjects, more, href: `${machineAddress(name)}?anomalous=true` }}
                    isBad
                  />
                ),
              },
            ]}
          />
        )}
      </Frame>,
    );
  });

  app.get('/machines/:machine', async (c) => {
    const page = await pageOf(c);
    const words = page.words.machines;
    const name = c.req.param('machine');
    const machine = machines.find((each) => each.name === name);
    const table = machine?.table ?? null;
    const counts = await store.phaseCounts(name);
    if (machine === undefined && counts.length === 0)
      throw new PortariaError('not-found', `There is no machine ${name}`);
    const { searchParams } = page.url;
    const after = cursorOf(searchParams);
    const phase = searchParams.get('phase') || null;
    const { states, cursor } = await store.statesInPhase(
      { machine: name, ...(phase !== null && { phase }), anomalous: searchParams.has('anomalous') },
      { limit: LIMIT, ...(after !== undefined && { after }) },
    );
    const anomalies = await store.latestAnomalies(name, LATEST_ANOMALIES);
    const phases = byPhase(counts, table);
    const count = totalOf(counts, page);
    return c.html(
      <Frame page={page} current="machines" title={name}>
        <h1 class="mono">{name}</h1>
        <p class="lead">
          {machine === undefined ? words.foreignWhy : words.leadOf(count, machine.on.join(', '))}
        </p>
        {machine !== undefined && table === null && <Notice tone="warn">{words.noTable}</Notice>}
        {counts.length > 0 && phases.length === 0 && <Notice tone="warn">{words.noPhases}</Notice>}
        {table !== null && (
          <Diagram
            table={table}
            marks={{
              counted: new Map(
                phases.map(([each, { subjects, more }]) => [each, page.format.number(subjects, more)]),
              ),
              address: (each) =>
                phases.some(([known]) => known === each) ? phaseAddress(name, each) : undefined,
            }}
          />
        )}
        <div class="cols">
          <section>
            <h2>{words.listTitle}</h2>
            <PhaseLinks phases={phases} chosen={phase} table={table} />
            <p class="soft">{words.order}</p>
            <Subjects name={name} states={states} />
            <Pager next={cursor} labels={{ next: words.nextSubjects, first: words.firstSubjects }} />
          </section>
          <section>
            <h2 id="anomalies">{words.latestAnomalies}</h2>
            <p class="soft">{words.anomalyMeans}</p>
            <LatestAnomalies name={name} anomalies={anomalies} />
            {table !== null && <Moves table={table} />}
          </section>
        </div>
      </Frame>,
    );
  });
}

/** Filters by state. States that the table lacks are here, too: a provider may send new ones. */
const PhaseLinks: FC<{
  readonly phases: readonly (readonly [string, Count])[];
  readonly chosen: string | null;
  readonly table: TransitionTable | null;
}> = ({ phases, chosen, table }) => {
  const page = usePage();
  const words = page.words.machines;
  const known = new Set(phasesIn(table));
  const isAnomalous = page.url.searchParams.has('anomalous');
  const current = (is: boolean) => is && { 'aria-current': 'true' as const };
  return (
    <p class="choices">
      <a
        href={addressWith(page.url, { phase: null, anomalous: null })}
        {...current(chosen === null && !isAnomalous)}
      >
        {words.all}
      </a>
      {phases.map(([phase, count]) => (
        <a
          href={addressWith(page.url, { phase, anomalous: null })}
          {...current(phase === chosen && !isAnomalous)}
        >
          {errorText(phase, page)} <span class="soft">{page.format.number(count.subjects, count.more)}</span>
          {table !== null && !known.has(phase) && <span class="bad"> {words.notInTable}</span>}
        </a>
      ))}
      <a href={addressWith(page.url, { phase: null, anomalous: 'true' })} {...current(isAnomalous)}>
        {words.anomalousOnly}
      </a>
    </p>
  );
};

/** The subject of a row, which leads to its page on the machine. */
const subjectOf = (name: string): Column<SourceSubject> => ({
  head: usePage().words.columns.subject,
  as: 'code',
  cell: ({ subject, source }) => (
    <a href={machineAddress(name, subjectName(subject), source)}>{subjectName(subject)}</a>
  ),
});

const Subjects: FC<{ readonly name: string; readonly states: readonly MachineState[] }> = ({
  name,
  states,
}) => {
  const page = usePage();
  const { machines: words, columns } = page.words;
  return (
    <Listed
      {...{ none: words.noSubjects, rows: states }}
      columns={[
        subjectOf(name),
        { head: columns.state, cell: ({ state }) => errorText(phasesOf(state).join(', '), page) || '–' },
        { head: columns.source, cell: ({ source }) => source },
        { head: words.updated, cell: ({ updatedAt }) => <Time iso={instantText(updatedAt)} /> },
        {
          head: words.anomalies,
          as: 'number',
          cell: ({ anomalies }) =>
            anomalies === 0 ? '0' : <span class="bad">{page.format.number(anomalies)}</span>,
        },
      ]}
    />
  );
};

const LatestAnomalies: FC<{
  readonly name: string;
  readonly anomalies: readonly (Anomaly & SourceSubject)[];
}> = ({ name, anomalies }) => {
  const page = usePage();
  const { machines: words, columns } = page.words;
  return (
    <Listed
      {...{ none: words.noAnomalies, rows: anomalies }}
      columns={[
        subjectOf(name),
        { head: words.anomalies, cell: ({ message }) => words.anomaly(errorText(message, page)) },
        {
          head: columns.event,
          as: 'code',
          cell: ({ eventId }) => <a href={`/events/${eventId}`}>{eventId}</a>,
        },
      ]}
    />
  );
};

/** The table of moves: what the picture shows, in words. */
export const Moves: FC<{ readonly table: TransitionTable }> = ({ table }) => {
  const { machines: words, columns } = usePage().words;
  return (
    <>
      <h2>{words.moves}</h2>
      <Table
        rows={table.transitions}
        columns={[
          {
            head: columns.from,
            as: 'code',
            cell: ({ from }) => (
              <>
                {from}
                {from === table.initial && <span class="soft"> ({words.start})</span>}
              </>
            ),
          },
          { head: words.on, as: 'code', cell: ({ on }) => on },
          { head: words.to, as: 'code', cell: ({ to }) => to },
        ]}
      />
    </>
  );
};

/** The address of a machine's page, or of a subject's page on it. */
export function machineAddress(machine: string, subject?: string, source: string | null = null): string {
  const query = source === null || source === 'default' ? '' : `?source=${encodeURIComponent(source)}`;
  const part = subject === undefined ? '' : subjectAddress(subject).slice('/subjects'.length);
  return `/machines/${encodeURIComponent(machine)}${part}${query}`;
}

const phaseAddress = (machine: string, phase: string): string =>
  `${machineAddress(machine)}?phase=${encodeURIComponent(phase)}`;

type Count = Pick<PhaseCount, 'subjects' | 'more'>;

/** The subjects in each phase, whatever other phases they are in. */
function byPhase(
  counts: readonly PhaseCount[],
  table: TransitionTable | null,
): readonly (readonly [phase: string, count: Count])[] {
  const found = new Map<string, Count>();
  for (const { phases, subjects, more } of counts)
    for (const phase of new Set(phases)) {
      const known = found.get(phase);
      found.set(phase, {
        subjects: subjects + (known?.subjects ?? 0),
        more: more || known?.more === true,
      });
    }
  // In the order of the table; phases that the table lacks come last.
  const order = phasesIn(table);
  const indexOf = (phase: string): number => order.indexOf(phase) >>> 0;
  return [...found].toSorted(([one], [other]) => indexOf(one) - indexOf(other));
}

function phasesIn(table: TransitionTable | null): readonly string[] {
  if (table === null) return [];
  return [...new Set([table.initial, ...table.transitions.flatMap(({ from, to }) => [from, to])])];
}

function totalOf(counts: readonly PhaseCount[], page: Page): string {
  const subjects = counts.reduce((sum, count) => sum + count.subjects, 0);
  return page.format.number(
    subjects,
    counts.some(({ more }) => more),
  );
}
