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

type Rules = (kind: StoreKind) => void;

/** The conformance suite, in chapters of a few seconds each, so that several workers share it. */
const chapters = {
  events: {
    verdicts: [verdictRules],
    ambiguities: [ambiguityRules],
    'message ids': [messageIdRules],
    reads: [readRules, scanRules],
    privacy: [privacyRules],
    retention: [retentionRules, foldedSubjectRules, heldSubjectRules],
    quarantine: [quarantineRules],
    'quota of the quarantine': [quarantineQuotaRules],
  },
  deliveries: {
    lanes: [laneRules],
    prefetch: [prefetchRules],
    completion: [completionRules],
    attempts: [attemptRules],
    failures: [failureRules],
    'groups of failures': [failureGroupRules],
    jobs: [jobRules],
    pauses: [pauseRules],
    machines: [machineRules],
    'machines and lanes, for operators': [machineOverviewRules],
    replays: [replayRules],
    processes: [processRules],
    audit: [auditRules],
    monitoring: [monitoringRules, activityRules],
  },
  properties: {
    verdicts: [repeatProperty, predictionProperty],
    lanes: [laneProperties],
    pauses: [pauseProperties],
    reads: [versionOrderProperty],
  },
  durability: { durability: [durabilityRules] },
} as const satisfies Record<string, Record<string, readonly Rules[]>>;

export type Chapter = keyof typeof chapters;

/** Runs chapters of the conformance suite on an implementation of the store; all without a list of them. */
export function describeStore(
  kind: StoreKind,
  chosen: readonly Chapter[] = ['events', 'deliveries', 'properties', 'durability'],
): void {
  describe(kind.name, () => {
    for (const chapter of chosen)
      for (const [name, rules] of Object.entries<readonly Rules[]>(chapters[chapter]))
        describe(name, () => {
          for (const describeRules of rules) describeRules(kind);
        });
  });
}
