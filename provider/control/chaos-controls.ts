import { calm, chaosRates } from '../webhooks/chaos/chaos-rates.ts';
import { control, type Control } from './control.ts';

/** What happens to webhooks on their way. */
export const chaosControls: readonly Control[] = [
  control(
    {
      method: 'get',
      path: '/chaos',
      summary: 'What happens to webhooks on their way, from 0 (never) to 1 (always)',
    },
    (_, { sender }) => Promise.resolve({ data: sender.chaos() }),
  ),
  control(
    {
      method: 'put',
      path: '/chaos',
      summary: 'Set the rates from now on; those left out are 0',
      body: chaosRates,
    },
    ({ body: rates }, { sender }) => {
      sender.setChaos({ ...sender.chaos(), rates });
      return Promise.resolve({ data: sender.chaos() });
    },
  ),
  control({ method: 'delete', path: '/chaos', summary: 'No chaos from now on' }, (_, { sender }) => {
    sender.setChaos({ ...sender.chaos(), rates: calm });
    return Promise.resolve({ data: sender.chaos() });
  }),
];
