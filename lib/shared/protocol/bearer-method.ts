/** Where a bearer token may come from (RFC 6750 §2, in the words of RFC 9728 §2 `bearer_methods_supported`). */
export type BearerMethod = 'header' | 'body' | 'query';
