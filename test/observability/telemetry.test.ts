import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import request from 'supertest';

import { authorizationServer } from '../../lib/index.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, postToken, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

const spans = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
const meterProvider = new MeterProvider({ readers: [reader] });

describe('OpenTelemetry', () => {
  const site = siteFor({
    telemetry: { tracer: tracerProvider.getTracer('test'), meter: meterProvider.getMeter('test') },
  });
  const client = fixture(() => site.client());
  beforeEach(() => spans.reset());
  afterAll(() => Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]));

  /** A span ends when the answer is closed, which may be a moment after the client has read it. */
  const lastSpan = async (name: string): Promise<ReadableSpan> => {
    const find = () =>
      spans
        .getFinishedSpans()
        .filter((candidate) => candidate.name === name)
        .at(-1);
    await until(() => find() !== undefined);
    return find()!;
  };
  const points = async (name: string): Promise<{ attributes: Record<string, unknown>; value: unknown }[]> => {
    await reader.forceFlush();
    const all =
      metrics
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    return all
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints as never[]);
  };

  test('a token request is a span with its outcome, client and grant type', async () => {
    await tokenRequest(site, client, { grant_type: 'client_credentials' });
    const span = await lastSpan('oauth.token');
    expect(span.attributes).toEqual({
      'oauth.endpoint': 'token',
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'oauth.outcome': 'ok',
      'oauth.client_id': client.clientId,
      'oauth.grant_type': 'client_credentials',
    });
    expect(span.events.map(({ name }) => name)).toEqual(['token.issued']);
  });

  test('a refusal is a span with its error code, and no error of the server', async () => {
    await postToken(site, {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: 'a wrong secret',
    });
    const span = await lastSpan('oauth.token');
    expect(span.attributes).toMatchObject({
      'oauth.outcome': 'refused',
      'error.type': 'invalid_client',
      'http.response.status_code': 401,
    });
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  });

  test('an error for the client by a redirect is a refusal, too', async () => {
    await request(site.server).get('/oauth/authorize').query({
      response_type: 'unknown',
      client_id: client.clientId,
      redirect_uri: client.redirectUris[0],
      prompt: 'none',
    });
    expect((await lastSpan('oauth.authorize')).attributes).toMatchObject({
      'oauth.outcome': 'refused',
      'error.type': 'unsupported_response_type',
      'http.response.status_code': 302,
    });
  });

  test('a failure of the server is an error span', async () => {
    await using broken = await openSite({
      telemetry: { tracer: tracerProvider.getTracer('test') },
      tokens: {
        responseParameters: () => {
          throw new Error('broken');
        },
      },
    });
    const made = await broken.client();
    await tokenRequest(broken, made, { grant_type: 'client_credentials' });
    const span = await lastSpan('oauth.token');
    expect(span.attributes).toMatchObject({ 'oauth.outcome': 'failed', 'error.type': 'server_error' });
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
  });

  test('every endpoint has a span, and other requests of the site have none', async () => {
    await request(site.server).get('/.well-known/oauth-authorization-server');
    await request(site.server).post('/oauth/revoke');
    await request(site.server).post('/oauth/introspect');
    await request(site.server).get('/oauth/applications');
    await request(site.server).get('/somewhere/else');
    for (const name of ['metadata', 'revoke', 'introspect', 'applications']) await lastSpan(`oauth.${name}`);
    expect(spans.getFinishedSpans()).toHaveLength(4);
  });

  test("durations, errors and events are measured, with the guard's refusals", async () => {
    await callApi(site, 'eas_at_nonsense');
    await tokenRequest(site, client, { grant_type: 'client_credentials' });
    await lastSpan('oauth.token');
    const durations = await points('oauth.server.request.duration');
    expect(
      durations.find(
        ({ attributes }) => attributes['oauth.endpoint'] === 'token' && attributes['oauth.outcome'] === 'ok',
      )?.value,
    ).toMatchObject({ count: expect.any(Number) });
    expect(await points('oauth.server.errors')).toContainEqual(
      expect.objectContaining({
        attributes: { 'oauth.endpoint': 'guard', 'error.type': 'invalid_token' },
        value: 1,
      }),
    );
    expect(await points('oauth.server.events')).toContainEqual(
      expect.objectContaining({ attributes: { 'oauth.event': 'token.issued' } }),
    );
  });

  test('neither spans nor metrics have secrets, tokens or users in them', async () => {
    const tokens = await obtainTokens(site, client);
    await lastSpan('oauth.token');
    const text = JSON.stringify([
      spans.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events })),
      await points('oauth.server.request.duration'),
      await points('oauth.server.events'),
    ]);
    expect(text).toContain(client.clientId);
    for (const secret of [tokens.access_token, tokens.refresh_token, client.clientSecret, '"ada"', 'eas_'])
      expect(text).not.toContain(secret);
  });

  test('the span is active while its request is answered', async () => {
    // code that starts a span, such as the driver's instrumentation, asks the tracer with the active context
    const seen: string[] = [];
    const tracer = {
      startActiveSpan: (name: string, _options: object, run: (span: never) => unknown) =>
        context.with(
          context.active(),
          () => (
            seen.push(name),
            run({
              setAttributes() {},
              setStatus() {},
              addEvent() {},
              end() {
                seen.push('end');
              },
            } as never)
          ),
        ),
    };
    await using other = await openSite({ telemetry: { tracer: tracer as never } });
    await tokenRequest(other, await other.client(), { grant_type: 'client_credentials' });
    await until(() => seen.length >= 2);
    expect(seen).toEqual(['oauth.token', 'end']);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  test('a wrong tracer or meter stops the start', () => {
    const start = (telemetry: unknown) => () =>
      authorizationServer({
        issuer: site.url,
        connection: site.database.connection,
        scopes: {},
        login: '/login',
        telemetry: telemetry as never,
      });
    expect(start({ tracer: {} })).toThrow('startActiveSpan');
    expect(start({ meter: trace })).toThrow('createHistogram');
  });
});
