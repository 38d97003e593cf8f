/** Spans of receiving and of attempts. */
import type * as Api from '@opentelemetry/api';
import { TRACEPARENT, validTraceparent } from '../../kernel/http/traceparent.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { errorName, failureReason } from '../../kernel/failure-reason.ts';
import { scrub } from '../../kernel/text/scrub.ts';
import type { Failure, Tracing } from '../tracing.ts';
import { attributes, attributesOf, SYSTEM, type Operation } from './conventions.ts';

/** Characters of a kind: a sender may have invented it. */
const MAX_KIND = 128;

/**
 * Creates the tracing of a process. No span has the active one as its parent, except that of a request: polls, timers
 * and batches run on from whatever caused them, and would make one endless trace.
 */
export function createTracing(api: typeof Api, version: string): Tracing {
  const { context, trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  const outside: Tracing['outside'] = (run) => context.with(ROOT_CONTEXT, run);

  /** A sampler or a processor of the application may throw. Receiving and attempts go on without a span. */
  function start(
    operation: Operation,
    name: string,
    options: { readonly attributes: Api.Attributes; readonly links?: Api.Link[] },
    parent: Api.Context,
  ): Api.Span {
    try {
      const about = { ...attributesOf(operation), ...options.attributes };
      const settings = { ...options, kind: SpanKind.CONSUMER, attributes: about };
      return trace.getTracer(SYSTEM, version).startSpan(`${operation} ${name}`, settings, parent);
    } catch {
      return trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT);
    }
  }

  function end(span: Api.Span, own: Api.Attributes, failure?: Failure): void {
    try {
      span.setAttributes(own);
      if (failure !== undefined) {
        span.setAttribute(attributes.error, failure.type);
        span.setStatus({ code: SpanStatusCode.ERROR, message: scrub(failure.reason) });
      }
      span.end();
    } catch {
      // The same as at the start: what was done is done.
    }
  }

  /** The span as a header; null where the tracer makes none. */
  function headerOf(span: Api.Span): string | null {
    const { traceId, spanId, traceFlags } = span.spanContext();
    if (!api.isSpanContextValid(span.spanContext())) return null;
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  return {
    outside,
    async receive(raw, receive) {
      const parent = context.active();
      const about = { [attributes.source]: raw.source, [attributes.bytes]: raw.body.length };
      const span = start('receive', raw.source, { attributes: about }, parent);
      const inSpan = trace.setSpan(parent, span);
      try {
        const receipt = await outside(() =>
          receive(raw, {
            verify: (run) => context.with(inSpan, run),
            keep(delivery) {
              const { headers } = delivery;
              const origin = spanContextOf(validTraceparent(headers[TRACEPARENT]));
              if (origin !== undefined) span.addLink({ context: origin });
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
        end(span, {}, { type, reason: failureReason(error) });
        throw error;
      }
    },
    process({ id, handler, attempt, replay, traceparent, event }, as) {
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
      const span = start('process', handler, { attributes: about, links }, parent);
      const inSpan = trace.setSpan(ROOT_CONTEXT, span);
      return {
        traceparent: headerOf(span) ?? traceparent,
        run: (run) => context.with(inSpan, run),
        end: (outcome, failure) => {
          end(span, { [attributes.result]: outcome }, failure);
        },
      };
    },
  };
}

/** @param traceparent valid */
function spanContextOf(traceparent: string | null): Api.SpanContext | undefined {
  if (traceparent === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
