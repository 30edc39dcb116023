export interface WireMessage {
  readonly requestId: number;
  /** The request it answers; 0: it is a request. */
  readonly responseTo: number;
  readonly bytes: number;
  /** Name of the command; undefined if the message is not an OP_MSG request. */
  readonly command: string | undefined;
  /** The BSON document of an OP_MSG, request or answer. */
  readonly body: Buffer | undefined;
}

const HEADER_BYTES = 16;
const OP_MSG = 2013;
const OP_COMPRESSED = 2012;
/** MongoDB's own limit: 48,000,000 bytes. */
const MAX_MESSAGE_BYTES = 48_000_000;

/** Cuts a stream of bytes into messages; an incomplete one waits for the next chunk. */
export class WireReader {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): WireMessage[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const messages: WireMessage[] = [];
    while (this.#pending.length >= HEADER_BYTES) {
      const bytes = this.#pending.readInt32LE(0);
      if (bytes < HEADER_BYTES || bytes > MAX_MESSAGE_BYTES)
        throw new Error(`a message of ${bytes} bytes: this is not MongoDB's wire protocol`);
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
  const body = opCode === OP_MSG ? findBody(message) : undefined;
  const command = body !== undefined && responseTo === 0 ? readCommandName(body) : undefined;
  return { requestId: message.readInt32LE(4), responseTo, bytes: message.length, command, body };
}

/** The section of kind 0; sections of kind 1 (document sequences) may come before it. */
function findBody(message: Buffer): Buffer | undefined {
  for (let position = HEADER_BYTES + 4; position < message.length;) {
    const kind = message.readUInt8(position);
    if (kind !== 1) return message.subarray(position + 1, position + 1 + message.readInt32LE(position + 1));
    position += 1 + message.readInt32LE(position + 1);
  }
  return undefined;
}

/** The first key, which follows the length of the document and the type of its first element. */
function readCommandName(body: Buffer): string | undefined {
  const end = body.indexOf(0, 4 + 1);
  return end === -1 ? undefined : body.toString('utf8', 4 + 1, end);
}
