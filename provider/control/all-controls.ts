/** The controls of all parts in one list. */
import { chaosControls } from './chaos-controls.ts';
import type { Control } from './control.ts';
import { indicationControls } from './indication-controls.ts';
import { loginControls } from './login-controls.ts';
import { registryControls } from './registry-controls.ts';
import { slipControls } from './slip-controls.ts';
import { stepControls } from './step-controls.ts';
import { timeControls } from './time-controls.ts';
import { violationControls } from './violation-controls.ts';
import { webhookControls } from './webhook-controls.ts';

/** Every route of `/control`. */
export const allControls: readonly Control[] = [
  ...timeControls,
  ...stepControls,
  ...loginControls,
  ...slipControls,
  ...violationControls,
  ...indicationControls,
  ...registryControls,
  ...webhookControls,
  ...chaosControls,
];
