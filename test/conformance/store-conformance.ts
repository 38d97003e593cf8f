import { describe } from 'vitest';
import { auditRules } from './audit.ts';
import { activityRules } from './activity.ts';
import { ambiguityRules } from './ambiguities.ts';
import { prefetchRules } from './prefetch.ts';
import { durabilityRules } from './durability.ts';
import { completionRules } from './completion.ts';
import { failureGroupRules } from './failure-groups.ts';
import { failureRules } from './failures.ts';
import { jobRules } from './jobs.ts';
import { laneProperties } from './lanes-property.ts';
import { laneRules } from './lanes.ts';
import { machineOverviewRules } from './machine-overview.ts';
import { machineRules } from './machines.ts';
import { messageIdRules } from './message-ids.ts';
import { pauseRules } from './pauses.ts';
import { pauseProperties } from './pauses-property.ts';
import { processRules } from './processes.ts';
import { privacyRules } from './privacy.ts';
import { monitoringRules } from './monitoring.ts';
import { quarantineRules } from './quarantine.ts';
import { quarantineQuotaRules } from './quarantine-quota.ts';
import { predictionProperty } from './predictions-property.ts';
import { readRules } from './reads.ts';
import { repeatProperty } from './repeats-property.ts';
import { replayRules } from './replays.ts';
import { attemptRules } from './attempts.ts';
import { scanRules } from './scans.ts';
import { foldedSubjectRules } from './retention-of-machines.ts';
import { heldSubjectRules } from './retention-of-held-subjects.ts';
import { retentionRules } from './retention.ts';
import type { StoreKind } from './store-place.ts';
import { versionOrderProperty } from './version-order-property.ts';
import { verdictRules } from './verdicts.ts';

/** Runs the conformance suite on an implementation of the store. */
export function describeStore(kind: StoreKind): void {
  describe(kind.name, () => {
    describe('verdicts', () => {
      verdictRules(kind);
      repeatProperty(kind);
      predictionProperty(kind);
    });
    describe('ambiguities', () => {
      ambiguityRules(kind);
    });
    describe('message ids', () => {
      messageIdRules(kind);
    });
    describe('lanes', () => {
      laneRules(kind);
    });
    describe('prefetch', () => {
      prefetchRules(kind);
    });
    describe('completion', () => {
      completionRules(kind);
    });
    describe('attempts', () => {
      attemptRules(kind);
    });
    describe('failures', () => {
      failureRules(kind);
    });
    describe('groups of failures', () => {
      failureGroupRules(kind);
    });
    describe('jobs', () => {
      jobRules(kind);
    });
    describe('lanes: properties', () => {
      laneProperties(kind);
    });
    describe('pauses', () => {
      pauseRules(kind);
      pauseProperties(kind);
    });
    describe('machines', () => {
      machineRules(kind);
    });
    describe('machines and lanes, for operators', () => {
      machineOverviewRules(kind);
    });
    describe('quarantine', () => {
      quarantineRules(kind);
    });
    describe('quota of the quarantine', () => {
      quarantineQuotaRules(kind);
    });
    describe('privacy', () => {
      privacyRules(kind);
    });
    describe('retention', () => {
      retentionRules(kind);
      foldedSubjectRules(kind);
      heldSubjectRules(kind);
    });
    describe('replays', () => {
      replayRules(kind);
    });
    describe('processes', () => {
      processRules(kind);
    });
    describe('audit', () => {
      auditRules(kind);
    });
    describe('monitoring', () => {
      monitoringRules(kind);
      activityRules(kind);
    });
    describe('reads', () => {
      readRules(kind);
      scanRules(kind);
      versionOrderProperty(kind);
    });
    if (!kind.durable) return;
    describe('durability', () => {
      durabilityRules(kind);
    });
  });
}
