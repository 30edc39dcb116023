import type { ServerMetadata } from '../metadata.js';
import type { Reference } from '../references.js';
import type { Run, Verdict } from '../runs.js';

/** An input field of a step. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  /** A secret: it is not written back into the field, and never part of a link. */
  readonly type?: 'password';
  readonly isOptional?: boolean;
}

/** The context in which a step runs. */
export interface StepContext {
  readonly run: Run;
  readonly input: Readonly<Record<string, string>>;
  readonly server: ServerMetadata;
  readonly issuer: string;
  /** Another API, in a process of its own, and its resource (RFC 8707). */
  readonly albums: { readonly url: string; readonly resource: string };
  /** Id of the step, for the recordings. */
  readonly step: string;
  /** The cookies of the visitor, who may be logged in at the photo site, for links that an attack opens. */
  readonly cookies: string;
  /** Creates a gift card of the user at the photo site; undefined if nobody is logged in. */
  readonly giveGiftCard: (() => Promise<string>) | undefined;
}

/** `redirectTo` is the browser's next address. Default: the page of the grant. */
export interface StepResult {
  readonly redirectTo?: URL | string;
  readonly verdict?: Verdict;
}

export interface Step {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly fields?: readonly Field[];
  /** An attack, which must fail. */
  readonly isAttack?: boolean;
  /** Begins a new run, and drops the previous one. */
  readonly isFirst?: boolean;
  /** The missing condition, in words; undefined if the step can run. */
  readonly waitsFor: (values: Readonly<Record<string, string>>) => string | undefined;
  /** A result for the visitor, such as a new card or a code to type. The step is then done. */
  readonly notify?: (values: Readonly<Record<string, string>>) => string | undefined;
  readonly perform: (context: StepContext) => Promise<StepResult | void>;
}

/** A grant of the playground. A new one is a file beside this, and a line in `index.ts`. */
export interface Flow {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** One sentence for the overview. */
  readonly summary: string;
  readonly intro: readonly string[];
  readonly references: readonly Reference[];
  /** Not for new applications. */
  readonly isOld?: boolean;
  /** All steps in order, including attacks. */
  readonly steps: readonly Step[];
  /** Id of the step after the browser has brought a code. Default: `redeem`. */
  readonly afterAnswer?: string;
  /** For a visitor's own client: the page shows the required redirect URI. */
  readonly isOwnClient?: boolean;
  /** Why the server does not support it, in words; otherwise undefined. */
  readonly isMissing?: (server: ServerMetadata) => string | undefined;
}
