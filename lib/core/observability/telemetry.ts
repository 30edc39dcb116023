import { type Request, type RequestHandler, Router } from 'express';

import type { TelemetryOptions, TelemetrySpan } from '../../settings/options/telemetry-options.js';
import type { OAuthError } from '../../shared/errors.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { OAuthEvent } from './events.js';

export type Telemetry = ReturnType<typeof createTelemetry>;

interface Exchange {
  readonly span: TelemetrySpan | undefined;
  error?: string;
}

/** Seconds, as in OpenTelemetry's `http.server.request.duration`; the default buckets are for milliseconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** The values of the attribute `http.request.method`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
/** SpanStatusCode.ERROR */
const STATUS_ERROR = 2;

/**
 * Spans and metrics with the objects that the site passes in: the package itself never loads OpenTelemetry. Client ids
 * are in spans only, users and secrets nowhere.
 */
export function createTelemetry({ tracer, meter }: TelemetryOptions) {
  const requests = meter?.createHistogram('oauth.server.request.duration', {
    description: 'Duration of requests to an endpoint of the authorization server',
    unit: 's',
    advice: { explicitBucketBoundaries: [...BUCKETS] },
  });
  const refusals = meter?.createCounter('oauth.server.errors', {
    description: "Errors answered, the guard's refusals among them",
    unit: '{error}',
  });
  const counted = meter?.createCounter('oauth.server.events', {
    description: 'Events such as token.issued or code.replayed',
    unit: '{event}',
  });
  const exchanges = new WeakMap<Request, Exchange>();

  const measure =
    (endpoint: string): RequestHandler =>
    (req, res, next) => {
      const startedAt = performance.now();
      const begin = (span?: TelemetrySpan): void => {
        const exchange: Exchange = { span };
        exchanges.set(req, exchange);
        res.once('close', () => {
          // few values each, because these are dimensions of a metric
          const { error } = exchange;
          const { statusCode, writableFinished } = res;
          const refusal = error === undefined && statusCode < 400 ? 'ok' : 'refused';
          const outcome = statusCode >= 500 ? 'failed' : refusal;
          const result = {
            'oauth.outcome': writableFinished ? outcome : 'aborted',
            'http.response.status_code': statusCode,
            ...(error !== undefined && { 'error.type': error }),
          };
          requests?.record((performance.now() - startedAt) / 1000, { 'oauth.endpoint': endpoint, ...result });
          span?.setAttributes(result);
          if (statusCode >= 500) span?.setStatus({ code: STATUS_ERROR });
          span?.end();
        });
        next();
      };
      if (tracer === undefined) return begin();
      const method = METHODS.includes(req.method) ? req.method : '_OTHER';
      // active until the response: the database's spans become its children
      tracer.startActiveSpan(
        `oauth.${endpoint}`,
        { attributes: { 'oauth.endpoint': endpoint, 'http.request.method': method } },
        begin,
      );
    };

  return {
    /** Wraps an endpoint: a span and a measurement around each request, or only around requests for `paths`. */
    instrument(name: string, endpoint: Router, paths?: readonly string[]): Router {
      const measured = measure(name);
      const router = Router();
      router.use(
        (req, res, next) =>
          void (paths === undefined || paths.includes(req.path) ? measured(req, res, next) : next()),
      );
      router.use(endpoint);
      return router;
    },
    /** Stores the error of a request for its span. */
    recordError(this: void, { error }: OAuthError, req: Request | undefined, endpoint: string): void {
      refusals?.add(1, { 'oauth.endpoint': endpoint, 'error.type': error });
      const exchange = req && exchanges.get(req);
      if (exchange) exchange.error = error;
    },
    recordEvent(this: void, { type, clientId, grantType }: OAuthEvent, req: Request | undefined): void {
      counted?.add(1, { 'oauth.event': type });
      const span = req && exchanges.get(req)?.span;
      span?.addEvent(type);
      span?.setAttributes(withoutUndefined({ 'oauth.client_id': clientId, 'oauth.grant_type': grantType }));
    },
  };
}

/** The telemetry of a site that passes in nothing. */
export const NO_TELEMETRY: Telemetry = {
  instrument: (_name, endpoint) => endpoint,
  recordError: () => undefined,
  recordEvent: () => undefined,
};
