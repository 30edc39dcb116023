import type { Form } from '../../protocol/parameters.js';
import { querySource } from './query.js';
import type { RequestSource } from './request-source.js';

/** The first of the sources that features bring which fits the name; without one it is the query. */
export function findSource(sources: readonly RequestSource[], name: Form): RequestSource {
  return sources.find((source) => source.isNamed(name)) ?? querySource;
}
