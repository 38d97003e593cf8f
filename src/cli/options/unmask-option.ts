import { Option } from 'commander';

/** What commander makes of the flags of commands that show one thing. */
export interface DetailFlags {
  readonly unmask: boolean;
  readonly json: boolean;
}

export function unmaskOption(): Option {
  return new Option('--unmask', 'show personal data').default(false, 'masked');
}
