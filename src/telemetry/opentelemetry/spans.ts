/** Spans of receiving and of attempts. */
import type * as Api from '@opentelemetry/api';
import { TRACEPARENT, validTraceparent } from '../../kernel/http/traceparent.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { errorName, failureReason } from '../../kernel/failure-reason.ts';
import { scrub } from '../../kernel/text/scrub.ts';
import type { Failure, Tracing } from '../tracing.ts';
import { attributes, attributesOf, SYSTEM, type Operation } from './conventions.ts';
import type { Meters } from './meters.ts';

/** Characters of a kind: a sender may have invented it. */
const MAX_KIND = 128;

/**
 * Creates the tracing of a process. No span has the active one as its parent, except that of a request: polls, timers
 * and batches run on from whatever caused them, and would make one endless trace.
 */
export function createTracing(api: typeof Api, version: string, measure: Meters['processed']): Tracing {
  const { context, trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;

  /** Runs once within a context, also where the context manager throws. */
  function within<T>(where: Api.Context, run: () => T): T {
    const ended: (() => T)[] = [];
    try {
      context.with(where, () => {
        ended.push(settled(run));
      });
    } catch {
      // What has run has run.
    }
    return (ended[0] ?? run)();
  }

  const outside: Tracing['outside'] = (run) => within(ROOT_CONTEXT, run);

  /**
   * Anything of the application's SDK may throw, or be older. Receiving and attempts go on without a span.
   *
   * @param root undefined for the active context
   */
  function start(
    operation: Operation,
    name: string,
    options: { readonly attributes: Api.Attributes; readonly links?: Api.Link[] },
    root?: Api.Context,
  ): { readonly span: Api.Span; readonly inSpan: Api.Context } {
    try {
      const parent = root ?? context.active();
      const about = { ...attributesOf(operation), ...options.attributes };
      const settings = { ...options, kind: SpanKind.CONSUMER, attributes: about };
      const span = trace.getTracer(SYSTEM, version).startSpan(`${operation} ${name}`, settings, parent);
      return { span, inSpan: trace.setSpan(parent, span) };
    } catch {
      return { span: trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT), inSpan: root ?? ROOT_CONTEXT };
    }
  }

  function end(span: Api.Span, own: Api.Attributes, failure?: Pick<Failure, 'reason'>): void {
    try {
      span.setAttributes(own);
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(failure) });
      span.end();
    } catch {
      // The same as at the start: what was done is done.
    }
  }

  /** The span as a header; null where the tracer makes none. */
  function headerOf(span: Api.Span): string | null {
    try {
      const own = span.spanContext();
      if (!api.isSpanContextValid(own)) return null;
      const { traceId, spanId, traceFlags } = own;
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    } catch {
      return null;
    }
  }

  return {
    outside,
    async receive(raw, receive) {
      const about = { [attributes.source]: raw.source, [attributes.bytes]: raw.body.length };
      const { span, inSpan } = start('receive', raw.source, { attributes: about });
      try {
        const receipt = await outside(() =>
          receive(raw, {
            verify: (run) => within(inSpan, run),
            keep(delivery) {
              const { headers } = delivery;
              const origin = spanContextOf(validTraceparent(headers[TRACEPARENT]));
              try {
                if (origin !== undefined) span.addLink({ context: origin });
              } catch {
                // Attempts then link to the sender.
                return delivery;
              }
              const header = headerOf(span);
              return header === null
                ? delivery
                : { ...delivery, headers: { ...headers, [TRACEPARENT]: header } };
            },
          }),
        );
        end(span, {
          [attributes.result]: receipt.status,
          ...(receipt.status !== 'rejected' && receipt.id !== null && { [attributes.event]: receipt.id }),
        });
        return receipt;
      } catch (error) {
        const type = PortariaError.is(error) ? error.code : errorName(error);
        end(span, { [attributes.error]: type }, { reason: failureReason(error) });
        throw error;
      }
    },
    process({ id, handler, attempt, replay, traceparent, event }, as) {
      // A fold is a pure function: nothing of it could be seen in a trace.
      if (as === 'unseen')
        return {
          traceparent,
          run: (run) => run(),
          end(outcome, failure, durationMs) {
            measure(handler, durationMs, ended(outcome, failure));
          },
        };
      const origin = spanContextOf(traceparent);
      const isChild = as === 'child' && origin !== undefined;
      const about = {
        [attributes.source]: event.source,
        [attributes.handler]: handler,
        [attributes.event]: event.id,
        [attributes.kind]: event.kind.slice(0, MAX_KIND),
        [attributes.delivery]: id,
        [attributes.attempt]: attempt,
        [attributes.replay]: replay !== null,
      };
      const links = isChild || origin === undefined ? [] : [{ context: origin }];
      const parent = isChild ? trace.setSpanContext(ROOT_CONTEXT, origin) : ROOT_CONTEXT;
      const { span, inSpan } = start('process', handler, { attributes: about, links }, parent);
      return {
        traceparent: headerOf(span) ?? traceparent,
        run: (run) => within(inSpan, run),
        end(outcome, failure, durationMs) {
          end(span, ended(outcome, failure), failure);
          measure(handler, durationMs, ended(outcome, failure));
        },
      };
    },
  };
}

/** What the span of an attempt and its measurement say alike. */
function ended(outcome: string, failure: Failure | undefined): Api.Attributes {
  return { [attributes.result]: outcome, ...(failure && { [attributes.error]: failure.type }) };
}

/** Masked, and without the response that a client attached to the error. */
function messageOf({ reason }: Pick<Failure, 'reason'>): string {
  return scrub(reason.replace(/ \[response .*/su, ''));
}

/** Runs, and returns what ends alike: with the value or with the error. */
function settled<T>(run: () => T): () => T {
  try {
    const value = run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** @param traceparent valid */
function spanContextOf(traceparent: string | null): Api.SpanContext | undefined {
  if (traceparent === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
