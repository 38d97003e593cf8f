/** The pages of machines. */
import type { Child, FC } from 'hono/jsx';
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
import type { PhaseCount } from '../../store/machine-states.ts';
import type { SourceSubject } from '../../store/queries.ts';
import { instantText } from '../../view/instant-text.ts';
import { phasesOf } from '../../store/state-phases.ts';
import { errorText } from '../../view/payload/unmasking.ts';

/** Subjects, and anomalies, on the page of a machine, and subjects of those that follow. */
const [FIRST, LIMIT] = [10, 50];

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
    const { machines: words, columns } = page.words;
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
      after === undefined ? { limit: FIRST } : { limit: LIMIT, after },
    );
    const anomalies = await store.latestAnomalies(name, FIRST);
    const phases = byPhase(counts, table);
    const known = phasesIn(table);
    const numberOf = ({ subjects, more }: Count): string => page.format.number(subjects, more);
    // States that the table lacks are among the filters: a provider may send new ones.
    const filters: readonly { phase: string | null; anomalous: string | null; text: Child }[] = [
      { phase: null, anomalous: null, text: words.all },
      ...phases.map(([each, count]) => ({
        ...{ phase: each, anomalous: null },
        text: (
          <>
            {errorText(each, page)} <span class="soft">{numberOf(count)}</span>
            {table !== null && !known.includes(each) && <span class="bad"> {words.notInTable}</span>}
          </>
        ),
      })),
      { phase: null, anomalous: 'true', text: words.anomalousOnly },
    ];
    const subjectColumn: Column<SourceSubject> = {
      ...{ head: columns.subject, as: 'code' },
      cell: ({ subject, source }) => (
        <a href={machineAddress(name, subjectName(subject), source)}>{subjectName(subject)}</a>
      ),
    };
    const isCurrent = (address: string) => address === addressWith(page.url, {});
    return c.html(
      <Frame page={page} current="machines" title={name}>
        <h1 class="mono">{name}</h1>
        <p class="lead">
          {machine === undefined
            ? words.foreignWhy
            : words.leadOf(totalOf(counts, page), machine.on.join(', '))}
        </p>
        {machine !== undefined && table === null && <Notice tone="warn">{words.noTable}</Notice>}
        {counts.length > 0 && phases.length === 0 && <Notice tone="warn">{words.noPhases}</Notice>}
        {table !== null && (
          <Diagram
            table={table}
            marks={{
              counted: new Map(phases.map(([each, count]) => [each, numberOf(count)])),
              address: (each) =>
                phases.some(([found]) => found === each) ? phaseAddress(name, each) : undefined,
            }}
          />
        )}
        <div class="cols">
          <section>
            <h2>{words.listTitle}</h2>
            <p class="choices">
              {filters.map(({ text, ...filter }) => {
                const href = addressWith(page.url, filter);
                return (
                  <a href={href} {...(isCurrent(href) && { 'aria-current': 'true' as const })}>
                    {text}
                  </a>
                );
              })}
            </p>
            <p class="soft">{words.order}</p>
            <Listed
              {...{ none: words.noSubjects, rows: states }}
              columns={[
                subjectColumn,
                {
                  head: columns.state,
                  cell: (row) => errorText(phasesOf(row.state).join(', '), page) || '–',
                },
                { head: columns.source, cell: ({ source }) => source },
                { head: words.updated, cell: ({ updatedAt }) => <Time iso={instantText(updatedAt)} /> },
                {
                  head: words.anomalies,
                  as: 'number',
                  cell: (row) =>
                    row.anomalies === 0 ? '0' : <span class="bad">{page.format.number(row.anomalies)}</span>,
                },
              ]}
            />
            <Pager next={cursor} labels={{ next: words.nextSubjects, first: words.firstSubjects }} />
          </section>
          <section>
            <h2 id="anomalies">{words.latestAnomalies}</h2>
            <p class="soft">{words.anomalyMeans}</p>
            <Listed
              {...{ none: words.noAnomalies, rows: anomalies }}
              columns={[
                subjectColumn,
                { head: words.anomalies, cell: ({ message }) => words.anomaly(errorText(message, page)) },
                {
                  head: columns.event,
                  as: 'code',
                  cell: ({ eventId }) => <a href={`/events/${eventId}`}>{eventId}</a>,
                },
              ]}
            />
            {table !== null && <Moves table={table} />}
          </section>
        </div>
      </Frame>,
    );
  });
}

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
