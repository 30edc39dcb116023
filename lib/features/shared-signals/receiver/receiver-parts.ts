import type { Server } from '../../../server/server.js';
import { switchedOn } from '../../../settings/table/switched-on.js';
import type { ReceiverSettings } from '../options.js';
import { createIntake, type TakeEventToken } from './intake.js';
import { createTransmitterApi, type TransmitterApi } from './transmitter-api.js';
import { createVerificationStates, type VerificationStates } from './verification-state.js';

/** What the receiver is made of. */
export interface ReceiverParts {
  readonly receiver: ReceiverSettings;
  /** The transmitters by their issuers. */
  readonly apis: ReadonlyMap<string, TransmitterApi>;
  readonly states: VerificationStates;
  readonly take: TakeEventToken;
}

export function createReceiverParts({ settings, models }: Server): ReceiverParts {
  const { receiver: given } = switchedOn(settings.sharedSignals, 'sharedSignals');
  const receiver = switchedOn(given, 'sharedSignals.receiver');
  const apis = new Map(receiver.transmitters.map((entry) => [entry.issuer, createTransmitterApi(entry)]));
  const states = createVerificationStates(settings.serverSecret);
  const take = createIntake({
    receiver,
    apis,
    states,
    inbox: models.inbox,
    clockTolerance: settings.security.clockTolerance,
  });
  return { receiver, apis, states, take };
}
