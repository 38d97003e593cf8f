/** Lists what is written for both databases, except what dispatching does through connections of its own. */
import { createAuditReads } from './audit/audit-reads.ts';
import { createAuditWrites } from './audit/audit-writes.ts';
import { createSessionWrites } from './audit/ended-sessions.ts';
import { createAttemptReads, createDeliveryReads, createFailureReads } from './deliveries/delivery-reads.ts';
import { createOvertakenReads } from './deliveries/overtaken.ts';
import { createJobReads } from './jobs/job-record.ts';
import { createJobWrites } from './jobs/job-writes.ts';
import { createPlanReads } from './jobs/plan-reads.ts';
import { joinedMethods } from './joined-methods.ts';
import { createMachineReads } from './machines/machine-reads.ts';
import { createPhaseReads } from './machines/phase-reads.ts';
import { createEventBefore } from './machines/version-order.ts';
import { createContentReads } from './privacy/content-reads.ts';
import { createEraseContents } from './privacy/erase-contents.ts';
import { createLedgerReads, createLedgerWrites } from './privacy/erasure-ledger.ts';
import type { ContentTables } from './privacy/content-tables.ts';
import type { ErasureParts } from './privacy/erased-marks.ts';
import { createHoldReads, createHoldWrites } from './privacy/holds.ts';
import { createQuarantineReads } from './quarantine/quarantine-reads.ts';
import { createReadReplayEvents } from './replays/replay-events.ts';
import { createUndeliveredReads } from './replays/undelivered.ts';
import { createPrunableReads } from './retention/prunable-reads.ts';
import type { SharedConnection } from './sql/connection.ts';

/** Reads for operators: SQLite runs them in a thread of their own. */
export function createSharedReads(connection: SharedConnection, contents: ContentTables) {
  const deliveries = createDeliveryReads(connection);
  return joinedMethods([
    createAuditReads(connection),
    deliveries,
    createAttemptReads(connection),
    createFailureReads(connection, deliveries),
    createJobReads(connection.read, connection.ids),
    createPlanReads(connection),
    createOvertakenReads(connection),
    createMachineReads(connection),
    createPhaseReads(connection),
    createEventBefore(connection),
    createContentReads(connection, contents),
    createHoldReads(connection),
    createReadReplayEvents(connection),
    createUndeliveredReads(connection),
    createLedgerReads(connection),
    createQuarantineReads(connection),
    createPrunableReads(connection),
  ]);
}

/** Writes, each of which is a transaction, or a part of one. */
export function createSharedWrites(connection: SharedConnection, erasure: ErasureParts) {
  return joinedMethods([
    createAuditWrites(connection),
    createSessionWrites(connection),
    createHoldWrites(connection),
    createJobWrites(connection),
    createEraseContents(connection, erasure),
    createLedgerWrites(connection, erasure),
  ]);
}
