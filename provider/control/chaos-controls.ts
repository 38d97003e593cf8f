/** Controls of chaos. */
import { calm, chaosRates } from '../webhooks/chaos/chaos-rates.ts';
import { control, type Control } from './control.ts';

/** Reads and sets the chaos rates of webhooks. */
export const chaosControls: readonly Control[] = [
  control(
    {
      method: 'get',
      path: '/chaos',
      summary: 'The rates of effects on webhooks, from 0 (never) to 1 (always)',
    },
    (_, { sender }) => Promise.resolve({ data: sender.chaos() }),
  ),
  control(
    {
      method: 'put',
      path: '/chaos',
      summary: 'Set the rates; omitted ones become 0',
      body: chaosRates,
    },
    ({ body: rates }, { sender }) => {
      sender.setChaos({ ...sender.chaos(), rates });
      return Promise.resolve({ data: sender.chaos() });
    },
  ),
  control({ method: 'delete', path: '/chaos', summary: 'Set all rates to 0' }, (_, { sender }) => {
    sender.setChaos({ ...sender.chaos(), rates: calm });
    return Promise.resolve({ data: sender.chaos() });
  }),
];
