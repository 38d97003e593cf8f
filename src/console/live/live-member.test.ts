import { describe, expect, it } from 'vitest';
import { liveMessage } from './live-member.ts';

const text = (message: Parameters<typeof liveMessage>[0]): string =>
  new TextDecoder().decode(liveMessage(message));

describe('a message of the live stream', () => {
  it('has its id, its name and its data', () => {
    expect(text({ id: '7gk2m9-12', event: 'beat' })).toBe('event: beat\nid: 7gk2m9-12\ndata: \n\n');
    expect(text({ id: '', data: '<tr></tr>' })).toBe('data: <tr></tr>\n\n');
  });

  it('is one message whatever line breaks its data has', () => {
    const data = 'a\n\nevent: joined\rid: 9\r\nb';
    expect(text({ id: '', data })).toBe('data: a\ndata: \ndata: event: joined\ndata: id: 9\ndata: b\n\n');
  });
});
