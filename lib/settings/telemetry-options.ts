export type TelemetryAttributes = Record<string, string | number | boolean>;

/** What is used of a span of `@opentelemetry/api`. */
export interface TelemetrySpan {
  setAttributes(attributes: TelemetryAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  addEvent(name: string, attributes?: TelemetryAttributes): unknown;
  end(): void;
}

/** What is used of a tracer of `@opentelemetry/api`. */
export interface TelemetryTracer {
  startActiveSpan<T>(
    name: string,
    options: { attributes?: TelemetryAttributes },
    run: (span: TelemetrySpan) => T,
  ): T;
}

/** What is used of a meter of `@opentelemetry/api`. */
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

/** The option `telemetry`: either or both. */
export interface TelemetryOptions {
  readonly tracer?: TelemetryTracer;
  readonly meter?: TelemetryMeter;
}
