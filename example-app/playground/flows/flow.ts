import type { ServerMetadata } from '../metadata.js';
import type { Reference } from '../references.js';
import type { Run, Verdict } from '../runs.js';

/** Something the visitor may fill in. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  /** A secret: it is not written back into the field, and never part of a link. */
  readonly type?: 'password';
  readonly isOptional?: boolean;
}

/** What a step has to work with. */
export interface StepContext {
  readonly run: Run;
  readonly input: Readonly<Record<string, string>>;
  readonly server: ServerMetadata;
  readonly issuer: string;
  /** Another API, in a process of its own, and the resource for which its tokens are requested (RFC 8707). */
  readonly albums: { readonly url: string; readonly resource: string };
  /** Id of the step, for the recordings. */
  readonly step: string;
  /**
   * The cookies of the visitor, who may be logged in at the photo site: for links that their browser is made to open.
   */
  readonly cookies: string;
  /** Makes a gift card of the person who is logged in at the photo site; undefined if nobody is. */
  readonly giveGiftCard: (() => Promise<string>) | undefined;
}

/** Where the browser goes next. Default: the page of the grant. */
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
  /** Something that must not work. */
  readonly isAttack?: boolean;
  /** Begins a new run; the one before is forgotten. */
  readonly isFirst?: boolean;
  /** What is missing, in words; undefined if the step can be done. */
  readonly waitsFor: (values: Readonly<Record<string, string>>) => string | undefined;
  /** What to tell the visitor, such as a card that was made or a code to type. The step is then done. */
  readonly notify?: (values: Readonly<Record<string, string>>) => string | undefined;
  readonly perform: (context: StepContext) => Promise<StepResult | void>;
}

/** One grant of the playground. A new one is a file beside this, and a line in `index.ts`. */
export interface Flow {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** In one sentence, for the overview. */
  readonly summary: string;
  readonly intro: readonly string[];
  readonly references: readonly Reference[];
  /** Not for new applications. */
  readonly isOld?: boolean;
  /** In the order in which they are to be done, the attacks among them. */
  readonly steps: readonly Step[];
  /** Id of the step that follows once the browser has brought a code. Default: `redeem`. */
  readonly afterAnswer?: string;
  /** For a client of the visitor's own: the page says which redirect URI it needs. */
  readonly isOwnClient?: boolean;
  /** Why it cannot be tried here, in words; undefined if it can. */
  readonly isMissing?: (server: ServerMetadata) => string | undefined;
}
