/** The page of a subject on a machine. */
import type { FC } from 'hono/jsx';
import { Diagram } from '../components/diagram.tsx';
import { Facts } from '../components/facts.tsx';
import { SubjectLink } from '../components/event-cells.tsx';
import { Json } from '../components/json.tsx';
import { Notice } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { usePage } from '../page.ts';
import { parseSubjectName } from '../../event/subject.ts';
import type { TransitionTable } from '../../handle/define/transition-table.ts';
import { phasesOf } from '../../store/state-phases.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { machineDetail } from '../../operate/show/machine-detail.ts';
import { machinePath, type PathStep } from '../../operate/show/machine-path.ts';
import { instantText } from '../../view/instant-text.ts';
import { errorText } from '../../view/payload/unmasking.ts';
import { Moves, machineAddress } from './machines.tsx';

/** Moves and anomalies that are listed. */
const MAX_STEPS = 100;

/** Adds the page of a subject on a machine: its way drawn, the events that moved it, and its present state. */
export function addMachineSubjectPage(app: ConsoleApp, { store, registry, pageOf }: PagesDeps): void {
  app.get('/machines/:machine/:subject', async (c) => {
    const page = await pageOf(c);
    const [name, subject] = [c.req.param('machine'), c.req.param('subject')];
    const parsed = parseSubjectName(subject);
    if (parsed === undefined) throw new PortariaError('not-found', `There is no subject ${subject}`);
    const source = page.url.searchParams.get('source') || null;
    const states = await store.listMachineStates({ machine: name, subject: parsed, limit: 100 });
    const sources = states.map((state) => state.source);
    const chosen = source ?? (sources.length === 1 ? sources[0] : undefined);
    if (chosen === undefined && sources.length > 1)
      return c.html(
        <Frame page={page} current="machines" title={subject}>
          <h1 class="mono">{subject}</h1>
          <p class="lead">{page.words.machines.sources}</p>
          <ul>
            {sources.map((each) => (
              <li>
                <a href={`${machineAddress(name, subject)}?source=${encodeURIComponent(each)}`}>{each}</a>
              </li>
            ))}
          </ul>
        </Frame>,
      );
    const detail = await machineDetail(store, {
      machine: name,
      subject: parsed,
      ...(chosen !== undefined && { source: chosen }),
      unmask: page.unmask,
      contract: page.contract,
    });
    const definition = registry.definitions.find((each) => each.name === name);
    const machine = definition?.type === 'machine' ? definition : null;
    const table = machine?.table ?? null;
    const path =
      machine && (await machinePath(store, machine, { source: detail.source, subject: parsed }, page));
    const steps = path?.steps ?? [];
    const listed = steps.filter(
      ({ moves, anomalies }, index) => index === 0 || moves.length > 0 || anomalies.length > 0,
    );
    const stored = states.find((state) => state.source === detail.source);
    const present = phasesOf(stored?.state ?? null).map((phase) => errorText(phase, page));
    const { machines: words, columns } = page.words;
    return c.html(
      <Frame page={page} current="machines" title={`${subject} · ${name}`}>
        <h1 class="mono">{subject}</h1>
        <p class="lead">
          <a href={machineAddress(name)}>{name}</a>
          {present.length > 0 && <>. {words.pathLead(present.join(', '))}</>}
        </p>
        {path === null && <Notice tone="warn">{words.noPath}</Notice>}
        {table !== null && (
          <Diagram
            table={table}
            marks={{
              present: new Set(present),
              passed: new Set([...(path?.from ?? []), ...steps.flatMap(({ phases }) => phases)]),
              made: steps.flatMap(({ moves }) => moves),
            }}
          />
        )}
        <div class="cols">
          <section>
            <h2>{words.path}</h2>
            {path !== null && path.missing !== null && <p class="soft">{words.pathMissing[path.missing]}</p>}
            {listed.length > MAX_STEPS && <p class="soft">{words.pathShown}</p>}
            <ol class="path">
              {listed.slice(-MAX_STEPS).map((step) => (
                <Step step={step} table={table} />
              ))}
            </ol>
          </section>
          <section>
            <h2>{columns.state}</h2>
            <div class="sheet">
              <Facts
                facts={[
                  [columns.subject, <SubjectLink subject={subject} />],
                  [columns.source, detail.source],
                  [words.updated, <Time iso={detail.updated_at} />],
                  [columns.version, <span class="mono">{detail.version ?? '–'}</span>],
                  [words.revision, page.format.number(detail.revision)],
                ]}
              />
              <Json value={detail.state as JsonValue} />
            </div>
            {table !== null && <Moves table={table} />}
          </section>
        </div>
      </Frame>,
    );
  });
}

const Step: FC<{ readonly step: PathStep; readonly table: TransitionTable | null }> = ({ step, table }) => {
  const words = usePage().words.machines;
  const { eventId, kind, receivedAt, phases, moves, anomalies } = step;
  const isJump = moves.some(
    (move) => table?.transitions.some(({ from, to }) => from === move.from && to === move.to) === false,
  );
  const reached = moves.length > 0 ? moves.map(({ to }) => to) : phases;
  return (
    <li class={anomalies.length > 0 || isJump ? 'odd' : ''}>
      <p>
        <b class="mono">{reached.join(', ') || '–'}</b>{' '}
        {moves.length === 0 && <span class="soft">{words.stays} </span>}
        <a class="mono" href={`/events/${eventId}`}>
          {kind}
        </a>{' '}
        <span class="soft">
          <Time iso={instantText(receivedAt)} />
        </span>
      </p>
      {isJump && anomalies.length === 0 && <p class="error">{words.jumped}</p>}
      {anomalies.map((message) => (
        <p class="error">{words.anomaly(message)}</p>
      ))}
    </li>
  );
};
