import { InvalidArgumentError } from 'commander';

export function parseWebAddress(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Write an address that starts with http:// or https://.');
  const { username, password } = new URL(text);
  if (username !== '' || password !== '')
    throw new InvalidArgumentError('Leave out user name and password: a secret signs instead.');
  return text;
}
