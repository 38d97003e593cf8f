/** The first page of `/control`: clock, scheduled steps, chaos. */
import type { FC } from 'hono/jsx';
import { Empty } from '../../../src/pages/list.tsx';
import { State } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import type { Process } from '../../scenario/scenario-tables.ts';
import { selectSteps, type DueStep } from '../../scenario/schedule-step.ts';
import type { ChaosEffect, ChaosRates } from '../../webhooks/chaos/chaos-rates.ts';
import { listEndpoints, type KnownEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';

/** Scheduled steps that are shown. */
const STEPS = 12;

/** The first page: the clock, what happens next, the endpoints, and chaos. */
export async function overviewPage(view: ControlView, { provider, scenario, sender }: ControlDeps) {
  const [steps, endpoints] = await Promise.all([
    selectSteps(provider.query).limit(STEPS).execute(),
    listEndpoints(provider),
  ]);
  return (
    <ControlFrame view={view} current="overview" title="Clock and chaos">
      <h1>
        In Brazil it is{' '}
        <time datetime={new Date(provider.clock.now()).toISOString()}>
          {inBrazil.format(provider.clock.now())}
        </time>
      </h1>
      <Clock view={view} speed={provider.clock.speed} paused={scenario.isPaused} />
      <h2>Endpoints</h2>
      <Endpoints view={view} endpoints={endpoints} />
      <h2>What happens next by itself</h2>
      <Steps view={view} steps={steps} />
      <h2>Chaos on webhooks</h2>
      <Chaos view={view} rates={sender.chaos().rates} />
    </ControlFrame>
  );
}

/** In the zone of the fleet. The script of the console leaves it alone: it has no `data-as`. */
const inBrazil = new Intl.DateTimeFormat('en', {
  dateStyle: 'full',
  timeStyle: 'medium',
  timeZone: 'America/Sao_Paulo',
});

const speeds: Readonly<Record<string, string>> = { '0': 'stop', '1': 'normal', '60': '60 ×', '600': '600 ×' };

function paceOf(speed: number): string {
  if (speed === 0) return 'stands still: retries and scheduled steps wait';
  return speed === 1
    ? 'runs with the machine’s clock'
    : `runs ${String(speed)} times as fast as the machine’s clock`;
}

const Clock: FC<{ readonly view: ControlView; readonly speed: number; readonly paused: boolean }> = ({
  view,
  speed,
  paused,
}) => {
  return (
    <>
      <p class="lead">
        Clock: {paceOf(speed)}.{paused && ' The scenario is paused: nothing is decided by itself.'}
      </p>
      <div class="actions">
        {Object.entries(speeds)
          .filter(([each]) => Number(each) !== speed)
          .map(([each, label]) => (
            <Act
              view={view}
              to="/clock/speed"
              method="PUT"
              label={label}
              about="Speed"
              fields={{ speed: each }}
            />
          ))}
        <Act
          view={view}
          to={paused ? '/scenario/resume' : '/scenario/pause'}
          label={paused ? 'Resume the scenario' : 'Pause the scenario'}
        />
      </div>
      <Act view={view} to="/clock/advance" label="Advance" primary>
        <label>
          <span>Advance by</span>
          <input name="by" placeholder="15m, 36h, 7d" required autocomplete="off" />
        </label>
      </Act>
    </>
  );
};

const Endpoints: FC<{ readonly view: ControlView; readonly endpoints: readonly KnownEndpoint[] }> = ({
  view,
  endpoints,
}) => {
  const { format } = view.page;
  if (endpoints.length === 0)
    return (
      <Empty>No endpoint: nothing is sent. Add one with: portaria provider endpoints add &lt;url&gt;</Empty>
    );
  return (
    <Table
      rows={endpoints}
      columns={[
        { head: 'Address', as: 'code', cell: ({ url }) => url },
        { head: 'Organization', cell: (row) => row.organization },
        { head: 'Signed', cell: ({ signed }) => (signed ? 'yes' : 'no') },
        { head: 'Lanes', as: 'number', cell: ({ lanes }) => format.number(lanes) },
        { head: 'Waiting', as: 'number', cell: ({ waiting }) => format.number(waiting) },
        {
          head: 'Dead',
          as: 'number',
          cell: ({ dead }) =>
            dead === 0 ? (
              '0'
            ) : (
              <a class="bad" href={`${paths.deliveries}?status=dead`}>
                {format.number(dead)}
              </a>
            ),
        },
      ]}
    />
  );
};

const processNames: Readonly<Record<Process, string>> = {
  'company-login': 'login of a company',
  'user-login': 'login of a driver',
  'company-session': 'end of a company’s session',
  'user-session': 'end of a driver’s session',
  'company-sne': 'SNE of a company',
  'user-sne': 'SNE of a driver',
  'company-certificate': 'certificate of a company',
  'company-import': 'first import of a company',
  'charge-slip': 'slip of a charge',
  'antt-ticket': 'slip of an ANTT violation',
  'violation-ticket': 'slip of a traffic violation',
  indication: 'indication of a driver',
  'day-over': 'midnight',
};

const Steps: FC<{ readonly view: ControlView; readonly steps: readonly DueStep[] }> = ({ view, steps }) => {
  if (steps.length === 0)
    return <Empty>No step is scheduled. A login, a slip or an indication schedules the next one.</Empty>;
  return (
    <Table
      rows={steps}
      columns={[
        { head: 'Due', cell: ({ due_at }) => <Time iso={due_at} as="relative" /> },
        { head: 'What', cell: ({ process }) => processNames[process] },
        { head: 'Record', as: 'number', cell: ({ subject_id }) => String(subject_id) },
        {
          head: 'By hand',
          cell: ({ process, subject_id }) => {
            const [step, about] = [
              `/steps/${process}/${String(subject_id)}`,
              `${processNames[process]} ${String(subject_id)}`,
            ];
            return (
              <div class="acts">
                <Act view={view} to={`${step}/run`} label="Now" about={about} />
                <Act view={view} to={step} method="DELETE" label="Drop" about={about} />
              </div>
            );
          },
        },
      ]}
    />
  );
};

const effectMeanings: Readonly<Record<ChaosEffect, string>> = {
  duplicates: 'sent twice, with the same id',
  resign: 'sent twice, with a new id',
  reorder: 'overtaken by a later one',
  delay: 'delayed for seconds',
  drops: 'first attempt dropped',
  losses: 'never sent',
  truncation: 'first sent cut off',
  bursts: 'held back, then all at once',
};

const Chaos: FC<{ readonly view: ControlView; readonly rates: ChaosRates }> = ({ view, rates }) => {
  const effects = Object.entries(effectMeanings) as [ChaosEffect, string][];
  const active = effects.filter(([effect]) => rates[effect] > 0);
  return (
    <>
      <p class="lead">
        Rates from 0 (never) to 1 (always).{' '}
        {active.map(([effect]) => (
          <>
            <State tone="warn" word={effect} />{' '}
          </>
        ))}
      </p>
      <Act view={view} to="/chaos" method="PUT" label="Set the rates" columns>
        {effects.map(([effect, meaning]) => (
          <label>
            <span>
              <span class="mono">{effect}</span> {meaning}
            </span>
            <input name={effect} value={String(rates[effect])} inputmode="decimal" autocomplete="off" />
          </label>
        ))}
      </Act>
      {active.length > 0 && <Act view={view} to="/chaos" method="DELETE" label="Set all to 0" />}
    </>
  );
};
