/** The page of what the provider's records and the newest events differ in. */
import type { FC } from 'hono/jsx';
import { Empty } from '../../pages/list.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { handlersOfRepair, repairKind } from '../../reconcile/repair-selection.ts';
import { differingSubjects, type RecordedLook } from '../../store/monitoring.ts';
import { instantText } from '../../view/instant-text.ts';
import { SubjectLink } from '../components/event-cells.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';

type HandlersOf = (look: RecordedLook) => readonly string[];

/** Adds the page of the last look at each family. */
export function addReconcilePage(app: ConsoleApp, { store, registry, pageOf }: PagesDeps): void {
  const handlersOf: HandlersOf = ({ family, source, differing }) => {
    const outcomes = Object.keys(differing);
    const handlers = outcomes.flatMap((outcome) => handlersOfRepair(registry, { family, source, outcome }));
    return [...new Set(handlers)];
  };

  app.get('/reconcile', async (c) => {
    const page = await pageOf(c);
    const { looks } = await store.monitoring();
    return c.html(<ReconcilePage page={page} looks={looks} handlersOf={handlersOf} />);
  });
}

interface ReconcileProps {
  readonly page: Page;
  readonly looks: readonly RecordedLook[];
  readonly handlersOf: HandlersOf;
}

const ReconcilePage: FC<ReconcileProps> = ({ page, looks, handlersOf }) => {
  const words = page.words.reconcile;
  const { format } = page;
  return (
    <Frame page={page} current="reconcile" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {looks.length === 0 ? (
        <Empty>{words.nothing}</Empty>
      ) : (
        <Table
          rows={looks}
          columns={[
            { head: words.family, as: 'code', cell: ({ family, source }) => words.of(family, source) },
            { head: words.at, cell: ({ at }) => <Time iso={instantText(at)} /> },
            { head: words.equal, as: 'number', cell: ({ equal }) => format.number(equal) },
            {
              head: words.differ,
              cell: (look) =>
                differingSubjects(look) === 0 ? (
                  <State tone="ok" word="0" />
                ) : (
                  <State tone="warn" word={format.number(differingSubjects(look))} />
                ),
            },
            { head: words.handlers, as: 'code', cell: (look) => handlersOf(look).join(', ') || '–' },
          ]}
        />
      )}
      {looks
        .filter((look) => differingSubjects(look) > 0)
        .map((look) => (
          <Differences look={look} />
        ))}
    </Frame>
  );
};

const Differences: FC<{ readonly look: RecordedLook }> = ({ look }) => {
  const page = usePage();
  const words = page.words.reconcile;
  const { family, source, differences } = look;
  const repairable = differences.flatMap(({ id, outcome }) =>
    repairKind(family, outcome) === undefined ? [] : [`${family}:${id}`],
  );
  const more = differingSubjects(look) - differences.length;
  return (
    <>
      <h2 id={`${source}-${family}`}>{words.of(family, source)}</h2>
      {differences.length > 0 && (
        <Table
          rows={differences}
          columns={[
            {
              head: words.subject,
              as: 'code',
              cell: ({ id, outcome }) =>
                // A subject that was missed has no page.
                outcome === 'missed' ? `${family}:${id}` : <SubjectLink subject={`${family}:${id}`} />,
            },
            { head: words.outcome, cell: ({ outcome }) => words.outcomes[outcome] ?? outcome },
            { head: words.fields, as: 'code', cell: ({ fields }) => fields.join(', ') || '–' },
            { head: words.since, cell: ({ since }) => <Time iso={instantText(since)} /> },
            {
              head: words.quarantined,
              as: 'code',
              cell: ({ quarantined: entry }) =>
                entry === null ? '–' : <a href={`/quarantine/${entry}`}>{entry}</a>,
            },
          ]}
        />
      )}
      {may(page, 'operate') && repairable.length > 0 && (
        <p class="actions">
          <a class="button" href={planAddress('repair', { source, subjects: repairable })}>
            {words.repair}
          </a>
        </p>
      )}
      {more > 0 && <p class="soft">{words.more(more)}</p>}
    </>
  );
};
