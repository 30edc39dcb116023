import { querySource } from './query.js';
import type { RequestSource } from './request-source.js';

/** The sources of authorization requests, the first that fits is asked: a new one is one file and one line here. */
export const REQUEST_SOURCES: readonly RequestSource[] = [querySource];

export function findSource(
  sources: readonly RequestSource[],
  name: Parameters<RequestSource['isNamed']>[0],
): RequestSource {
  return sources.find((source) => source.isNamed(name)) ?? querySource;
}
