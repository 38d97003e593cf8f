import { InvalidArgumentError } from 'commander';
import { parseSubjectName, type Subject } from '../../event/subject.ts';

export function parseSubject(text: string): Subject {
  const subject = parseSubjectName(text);
  if (subject === undefined)
    throw new InvalidArgumentError('Write family:id, for example company:12 or traffic-violation-ticket:9.');
  return subject;
}
