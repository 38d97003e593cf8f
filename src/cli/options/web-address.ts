import { InvalidArgumentError } from 'commander';

export function parseWebAddress(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Write an address that starts with http:// or https://.');
  return text;
}
