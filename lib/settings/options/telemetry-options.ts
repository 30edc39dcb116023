import { objectOf, option, type OptionsOf } from '../table/option.js';
import { withMethods } from '../table/shapes.js';

export type TelemetryAttributes = Record<string, string | number | boolean>;

/** The used members of a span of `@opentelemetry/api`. */
export interface TelemetrySpan {
  setAttributes(attributes: TelemetryAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  addEvent(name: string, attributes?: TelemetryAttributes): unknown;
  end(): void;
}

/** The used members of a tracer of `@opentelemetry/api`. */
export interface TelemetryTracer {
  startActiveSpan<T>(
    name: string,
    options: { attributes?: TelemetryAttributes },
    run: (span: TelemetrySpan) => T,
  ): T;
}

/** The used members of a meter of `@opentelemetry/api`. */
export interface TelemetryMeter {
  createCounter(
    name: string,
    options?: { description?: string; unit?: string },
  ): { add(value: number, attributes?: TelemetryAttributes): void };
  createHistogram(
    name: string,
    options?: { description?: string; unit?: string; advice?: { explicitBucketBoundaries?: number[] } },
  ): { record(value: number, attributes?: TelemetryAttributes): void };
}

const openTelemetryOptions = {
  /** Makes spans. Default: no spans. */
  tracer: option({
    shape: () =>
      withMethods<TelemetryTracer>(
        ['startActiveSpan'],
        'a tracer of @opentelemetry/api, which has startActiveSpan',
      ),
  }),
  /** Makes metrics. Default: no metrics. */
  meter: option({
    shape: () =>
      withMethods<TelemetryMeter>(
        ['createCounter', 'createHistogram'],
        'a meter of @opentelemetry/api, which has createCounter and createHistogram',
      ),
  }),
};

/** The option `telemetry`: a tracer, a meter, or both. */
export type TelemetryOptions = OptionsOf<typeof openTelemetryOptions>;

/** OpenTelemetry. */
export const telemetryOptions = {
  /**
   * Your objects of `@opentelemetry/api`: `{ tracer: trace.getTracer('oauth'), meter: metrics.getMeter('oauth') }`.
   * Default: none.
   */
  telemetry: option({
    shape: () =>
      objectOf(openTelemetryOptions, '{ tracer, meter }, either or both, as @opentelemetry/api gives them'),
  }),
};
