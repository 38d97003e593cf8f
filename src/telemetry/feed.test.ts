import { describe, expect, it } from 'vitest';
import { createTelemetryFeed, type FeedListener } from './feed.ts';

function setUp() {
  const errors: string[] = [];
  const feed = createTelemetryFeed({
    error(_fields, message) {
      errors.push(message);
    },
  });
  const heard: string[] = [];
  const listener = (name: string): FeedListener => ({
    report(event) {
      heard.push(`${name} ${event}`);
    },
    ended() {
      heard.push(`${name} ended`);
    },
  });
  const report = () => {
    feed.report('breaker.closed', { handler: 'billing' });
  };
  return { feed, errors, heard, listener, report };
}

describe('the telemetry feed', () => {
  it('passes events to listeners from when they come until they go', () => {
    const { feed, heard, listener, report } = setUp();
    report();
    const leave = feed.listen(listener('a'));
    report();
    feed.listen(listener('b'));
    report();
    leave();
    report();
    expect(heard).toEqual(['a breaker.closed', 'a breaker.closed', 'b breaker.closed', 'b breaker.closed']);
  });

  it('ends all listeners at its close, and later ones at once', () => {
    const { feed, heard, listener, report } = setUp();
    feed.listen(listener('a'));
    feed.close();
    feed.close();
    feed.listen(listener('b'));
    report();
    expect(heard).toEqual(['a ended', 'b ended']);
  });

  it('removes a listener that throws: what reported the event goes on', () => {
    const { feed, errors, heard, listener, report } = setUp();
    feed.listen({
      ...listener('a'),
      report() {
        throw new Error('a page cannot be rendered');
      },
    });
    feed.listen(listener('b'));
    report();
    report();
    expect(heard).toEqual(['a ended', 'b breaker.closed', 'b breaker.closed']);
    expect(errors).toEqual(['a listener of telemetry failed and was removed']);
  });
});
