import { describe } from 'vitest';
import { failureRules } from './failures.ts';
import { laneRules } from './lanes.ts';
import { machineRules } from './machines.ts';
import { messageIdRules } from './message-ids.ts';
import { quarantineRules } from './quarantine.ts';
import { repeatProperty } from './repeats-property.ts';
import { replayRules } from './replays.ts';
import type { StoreKind } from './store-place.ts';
import { verdictRules } from './verdicts.ts';

/** All that a store must do, whatever it is made of. */
export function describeStore(kind: StoreKind): void {
  describe(kind.name, () => {
    describe('verdicts', () => {
      verdictRules(kind);
      repeatProperty(kind);
    });
    describe('message ids', () => {
      messageIdRules(kind);
    });
    describe('lanes', () => {
      laneRules(kind);
    });
    describe('failures', () => {
      failureRules(kind);
    });
    describe('machines', () => {
      machineRules(kind);
    });
    describe('quarantine', () => {
      quarantineRules(kind);
    });
    describe('replays', () => {
      replayRules(kind);
    });
  });
}
