import { describe } from 'vitest';
import { attemptRules } from './deliveries/attempts.ts';
import { completionRules } from './deliveries/completion.ts';
import { failureGroupRules } from './deliveries/failure-groups.ts';
import { failureRules } from './deliveries/failures.ts';
import { jobRules } from './deliveries/jobs.ts';
import { overtakenRules } from './deliveries/overtaken.ts';
import { undeliveredRules } from './deliveries/undelivered.ts';
import { latestRules } from './deliveries/latest.ts';
import { laneRules } from './deliveries/lanes.ts';
import { machineOverviewRules } from './deliveries/machine-overview.ts';
import { machineRules } from './deliveries/machines.ts';
import { holdRules } from './deliveries/holds.ts';
import { pauseRules } from './deliveries/pauses.ts';
import { prefetchRules } from './deliveries/prefetch.ts';
import { rateRules } from './deliveries/rates.ts';
import { replayRules } from './deliveries/replays.ts';
import { durabilityRules } from './durability.ts';
import { ambiguityRules } from './events/ambiguities.ts';
import { messageIdRules } from './events/message-ids.ts';
import { privacyRules } from './events/privacy.ts';
import { quarantineQuotaRules } from './events/quarantine-quota.ts';
import { quarantineRules } from './events/quarantine.ts';
import { readRules } from './events/reads.ts';
import { heldSubjectRules } from './events/retention-of-held-subjects.ts';
import { foldedSubjectRules } from './events/retention-of-machines.ts';
import { lateWebhookRules } from './events/late-webhooks.ts';
import { reconciledRules } from './events/reconciled.ts';
import { retentionRules } from './events/retention.ts';
import { recognitionRules } from './events/recognition.ts';
import { scanRules } from './events/scans.ts';
import { verdictRules } from './events/verdicts.ts';
import { activityRules } from './operations/activity.ts';
import { auditRules } from './operations/audit.ts';
import { monitoringRules } from './operations/monitoring.ts';
import { processRules } from './operations/processes.ts';
import { latestProperties } from './properties/latest.ts';
import { laneProperties } from './properties/lanes.ts';
import { pauseProperties } from './properties/pauses.ts';
import { predictionProperty } from './properties/predictions.ts';
import { reconciledProperties } from './properties/reconciled.ts';
import { repeatProperty } from './properties/repeats.ts';
import { versionOrderProperty } from './properties/version-order.ts';
import type { StoreKind } from './store-place.ts';

type Rules = (kind: StoreKind) => void;

/** The conformance suite, in chapters of a few seconds each, so that several workers share it. */
const chapters = {
  events: {
    verdicts: [verdictRules],
    ambiguities: [ambiguityRules, recognitionRules],
    'message ids': [messageIdRules],
    reconciled: [reconciledRules, lateWebhookRules],
    reads: [readRules, scanRules],
    privacy: [privacyRules],
    retention: [retentionRules, foldedSubjectRules, heldSubjectRules],
    quarantine: [quarantineRules],
    'quota of the quarantine': [quarantineQuotaRules],
  },
  deliveries: {
    lanes: [laneRules],
    'the newest only': [latestRules],
    prefetch: [prefetchRules],
    rates: [rateRules],
    completion: [completionRules],
    attempts: [attemptRules],
    failures: [failureRules],
    'groups of failures': [failureGroupRules],
    jobs: [jobRules, overtakenRules],
    pauses: [pauseRules, holdRules],
    machines: [machineRules],
    'machines and lanes, for operators': [machineOverviewRules],
    replays: [replayRules, undeliveredRules],
  },
  operations: {
    processes: [processRules],
    audit: [auditRules],
    monitoring: [monitoringRules, activityRules],
  },
  properties: {
    verdicts: [repeatProperty, predictionProperty],
    lanes: [laneProperties],
    'the newest only': [latestProperties],
    pauses: [pauseProperties],
    reads: [versionOrderProperty],
    reconciled: [reconciledProperties],
  },
  durability: { durability: [durabilityRules] },
} as const satisfies Record<string, Record<string, readonly Rules[]>>;

export type Chapter = keyof typeof chapters;

/** Runs chapters of the conformance suite on an implementation of the store; all without a list of them. */
export function describeStore(
  kind: StoreKind,
  chosen: readonly Chapter[] = ['events', 'deliveries', 'operations', 'properties', 'durability'],
): void {
  describe(kind.name, () => {
    for (const chapter of chosen)
      for (const [name, rules] of Object.entries<readonly Rules[]>(chapters[chapter]))
        describe(name, () => {
          for (const describeRules of rules) describeRules(kind);
        });
  });
}
