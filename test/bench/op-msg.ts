/** One message of MongoDB's wire protocol. */
export interface WireMessage {
  readonly requestId: number;
  /** The request it answers; 0: it is a request. */
  readonly responseTo: number;
  readonly bytes: number;
  /** Name of the command; undefined where the message is no OP_MSG request. */
  readonly command: string | undefined;
}

const HEADER_BYTES = 16;
const OP_MSG = 2013;
const OP_COMPRESSED = 2012;
/** Of MongoDB itself: 48,000,000 bytes. */
const MAX_MESSAGE_BYTES = 48_000_000;

/** Cuts a stream of bytes into messages; what is not whole yet waits for the next chunk. */
export class WireReader {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): WireMessage[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const messages: WireMessage[] = [];
    while (this.#pending.length >= HEADER_BYTES) {
      const bytes = this.#pending.readInt32LE(0);
      if (bytes < HEADER_BYTES || bytes > MAX_MESSAGE_BYTES) throw new Error(`a message of ${bytes} bytes: this is not MongoDB's wire protocol`);
      if (this.#pending.length < bytes) break;
      messages.push(readMessage(this.#pending.subarray(0, bytes)));
      this.#pending = this.#pending.subarray(bytes);
    }
    return messages;
  }
}

function readMessage(message: Buffer): WireMessage {
  const responseTo = message.readInt32LE(8);
  const opCode = message.readInt32LE(12);
  if (opCode === OP_COMPRESSED) throw new Error('the wire is compressed: commands cannot be counted');
  const command = opCode === OP_MSG && responseTo === 0 ? readCommandName(message) : undefined;
  return { requestId: message.readInt32LE(4), responseTo, bytes: message.length, command };
}

/** The first key of the section of kind 0; sections of kind 1 (document sequences) may stand before it. */
function readCommandName(message: Buffer): string | undefined {
  for (let position = HEADER_BYTES + 4; position < message.length; ) {
    const kind = message.readUInt8(position);
    if (kind === 1) {
      position += 1 + message.readInt32LE(position + 1);
      continue;
    }
    // kind, length of the document, type of its first element
    const begin = position + 1 + 4 + 1;
    const end = message.indexOf(0, begin);
    return end === -1 ? undefined : message.toString('utf8', begin, end);
  }
  return undefined;
}
