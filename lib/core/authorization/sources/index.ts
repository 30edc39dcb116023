import type { Form } from '../../../shared/protocol/parameters.js';
import { withoutPrompts } from '../prompt.js';
import type { RequestSource, UncheckedRequest } from './request-source.js';

/** The parameters of the query are the request (RFC 6749 §4.1.1). */
export const querySource = {
  matches: () => true,
  read: (query: Form): UncheckedRequest => ({
    parameters: query,
    toQuery: (completed, isLoginRequested) => withoutPrompts(query, completed, isLoginRequested),
  }),
} satisfies RequestSource;

/** The first source of a feature that matches the query; if there is none, the query's parameters are the request. */
export function findSource(sources: readonly RequestSource[], query: Form): RequestSource {
  return sources.find((source) => source.matches(query)) ?? querySource;
}
