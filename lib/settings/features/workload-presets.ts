import { z } from 'zod';

import { option, type OptionsOf, required } from '../table/option.js';
import { parseOptions } from '../table/parse-options.js';
import { listOf, text, textLike } from '../table/shapes.js';
import type { WorkloadTrust } from './assertion-options.js';

const commonRows = {
  /** Its name here: the client id is `workload:` and this name. */
  name: required({ shape: () => text("a name, such as 'publisher'") }),
  /** The most that is granted. */
  scopes: required({ shape: () => listOf(text('a scope'), 'a list of scopes', { isNeeded: true }) }),
};
const exact = (message: string) => textLike(/^[^*\s]+$/, `${message}, exactly; no *`);
const url = () => textLike(/^https?:\/\/[^\s#?]+$/, 'an https: URL');

const githubRows = {
  ...commonRows,
  /** `owner/name`, exactly. */
  repository: required({
    shape: () => textLike(/^[\w.-]+\/[\w.-]+$/, "owner/name of one repository, such as 'photos/site'; no *"),
  }),
  /** The branch or tag, exactly: `refs/heads/main`. */
  ref: required({
    shape: () =>
      textLike(/^refs\/(heads|tags)\/[^*\s]+$/, "a branch or tag, such as 'refs/heads/main'; no *"),
  }),
  /** The environment, exactly. Default: any. */
  environment: option({ shape: () => exact("an environment, such as 'production'") }),
  /** The number of the repository, since its name can pass to another one. Default: any. */
  repositoryId: option({ shape: () => textLike(/^\d+$/, "the number of the repository, such as '4711'") }),
};

/**
 * Events that a stranger can cause, who has no right to the repository: by a proposal, by what other services say of
 * it, by words, or by a star. Most of them run on the default branch, so `ref` does not keep them out.
 */
const FOREIGN_EVENTS = [
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_comment',
  'check_run',
  'check_suite',
  'status',
  'issues',
  'issue_comment',
  'discussion',
  'discussion_comment',
  'fork',
  'watch',
  'gollum',
  'workflow_run',
];

/**
 * A job of GitHub Actions: one repository, one branch or tag, and not on a proposal of a stranger.
 *
 * @throws TypeError if an option is wrong, or is a pattern
 * @example
 * assertions: {
 *   trust: [github({ name: 'publisher', repository: 'photos/site', ref: 'refs/heads/main', scopes: ['photos:write'] })],
 * }
 */
export function github(given: OptionsOf<typeof githubRows>): WorkloadTrust {
  const { repository, ref, environment, repositoryId, ...rest } = parseOptions('github', githubRows, given);
  return {
    kind: 'workload',
    issuer: 'https://token.actions.githubusercontent.com',
    jwksUri: 'https://token.actions.githubusercontent.com/.well-known/jwks',
    ...rest,
    claims: {
      repository,
      ref,
      ...(environment !== undefined && { environment }),
      ...(repositoryId !== undefined && { repository_id: repositoryId }),
    },
    accepts: ({ event_name: event }) => typeof event === 'string' && !FOREIGN_EVENTS.includes(event),
  };
}

const gitlabRows = {
  ...commonRows,
  /** `group/project`, exactly. */
  project: required({
    shape: () => textLike(/^[\w.-]+(\/[\w.-]+)+$/, "group/name of one project, such as 'photos/site'; no *"),
  }),
  /** The protected branch or tag, exactly: `main`. */
  ref: required({ shape: () => exact("a branch or tag, such as 'main'") }),
  /** `branch` or `tag`. Default: `branch`. */
  refType: option({ shape: () => z.enum(['branch', 'tag'], "'branch' or 'tag'"), default: 'branch' }),
  /** Where GitLab is. Default: `https://gitlab.com`. */
  issuer: option({ shape: url, default: 'https://gitlab.com' }),
};

/** Sources of pipelines that a stranger can cause by proposing a change. */
const FOREIGN_SOURCES = ['merge_request_event', 'external_pull_request_event'];

/**
 * A job of GitLab CI: one project, one protected branch or tag, and not on a proposal of a stranger.
 *
 * @throws TypeError if an option is wrong, or is a pattern
 */
export function gitlab(given: OptionsOf<typeof gitlabRows>): WorkloadTrust {
  const { project, ref, refType, issuer, ...rest } = parseOptions('gitlab', gitlabRows, given);
  return {
    kind: 'workload',
    issuer,
    jwksUri: `${issuer.replace(/\/$/, '')}/oauth/discovery/keys`,
    ...rest,
    claims: { project_path: project, ref, ref_type: refType, ref_protected: 'true' },
    accepts: ({ pipeline_source: source }) => typeof source === 'string' && !FOREIGN_SOURCES.includes(source),
  };
}

const kubernetesRows = {
  ...commonRows,
  /** The `--service-account-issuer` of the cluster. */
  issuer: required({ shape: url }),
  /** The URL of its keys; for many clusters the issuer and `/openid/v1/jwks`. */
  jwksUri: required({ shape: url }),
  /** The namespace, exactly. */
  namespace: required({ shape: () => textLike(/^[a-z0-9-]+$/, "one namespace, such as 'prod'; no *") }),
  /** The service account, exactly. */
  serviceAccount: required({
    shape: () => textLike(/^[a-z0-9.-]+$/, "one service account, such as 'publisher'; no *"),
  }),
};

/**
 * A pod of Kubernetes, by its service account. Its projected token (with this server as the audience) is used again
 * until it is rotated.
 *
 * @throws TypeError if an option is wrong, or is a pattern
 */
export function kubernetes(given: OptionsOf<typeof kubernetesRows>): WorkloadTrust {
  const { namespace, serviceAccount, ...rest } = parseOptions('kubernetes', kubernetesRows, given);
  return {
    kind: 'workload',
    ...rest,
    subject: `system:serviceaccount:${namespace}:${serviceAccount}`,
    singleUse: false,
    maxTtl: 86_400,
  };
}

export type GithubOptions = OptionsOf<typeof githubRows>;
export type GitlabOptions = OptionsOf<typeof gitlabRows>;
export type KubernetesOptions = OptionsOf<typeof kubernetesRows>;
