import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { Family } from '../contract/family.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import { byOccurrence } from './login-version.ts';
import { byChangeAndSignature, byChangeTime, byChangeTimeOrDeletion } from './record-version.ts';
import type { VersionRule } from './version-rule.ts';

/**
 * Nothing in the payload tells which of two events is the later one: arrival
 * decides, and a return to an earlier content is ambiguous.
 */
const unversioned: VersionRule = () => null;

const rules: Readonly<Record<Family, VersionRule>> = {
  company: byChangeTime('updated_at'),
  'company-login': byOccurrence,
  'user-login': byOccurrence,
  'console-user': byChangeTimeOrDeletion,
  'antt-violation': byChangeTime('synced_at'),
  'antt-violation-ticket': byChangeTime('updated_at'),
  'traffic-violation': unversioned,
  'traffic-violation-ticket': byChangeTime('updated_at'),
  'traffic-violation-indication': byChangeAndSignature,
  charge: unversioned,
  'charge-payment-slip': byChangeTime('updated_at'),
};

/**
 * What orders an event among its subject's, compared as plain text; null when
 * nothing does. Of unrecognized kinds nothing is known to be a time.
 */
export function versionOf(event: ParsedEvent): string | null {
  if (!event.recognized || !isEventKind(event.kind)) return null;
  return rules[catalogue[event.kind].family](event.kind, event.data);
}
