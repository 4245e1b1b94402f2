import { CommandType } from './command-types.ts'
import { DataInput } from './data-input.ts'
import { decodeWireFormatInfo, type WireFormatInfo } from './wire-format.ts'

/** An exception of the broker. */
export interface BrokerException {
  readonly className: string
  readonly message: string
}

/** A command of the broker; those that do not concern a producer are `other`. */
export type InboundCommand =
  | { readonly kind: 'wireFormat'; readonly info: WireFormatInfo }
  | { readonly kind: 'response'; readonly correlationId: number; readonly exception: BrokerException | null }
  | { readonly kind: 'keepAlive'; readonly commandId: number; readonly responseRequired: boolean }
  | { readonly kind: 'producerAck'; readonly size: number }
  | { readonly kind: 'connectionError'; readonly exception: BrokerException }
  | { readonly kind: 'close' }
  | { readonly kind: 'other'; readonly type: number }

/** Longest text of an exception that is kept. */
const MAX_EXCEPTION_LENGTH = 500
const UNKNOWN_EXCEPTION: BrokerException = { className: 'unknown exception', message: '' }

/** Reads a frame in loose encoding without caches. Throws ProtocolError where it is too short. */
export function decodeCommand(frame: Buffer): InboundCommand {
  const input = new DataInput(frame)
  const type = input.byte()
  if (type === CommandType.WIRE_FORMAT_INFO) return { kind: 'wireFormat', info: decodeWireFormatInfo(input) }
  const [commandId, responseRequired] = [input.int(), input.boolean()]
  switch (type) {
    case CommandType.RESPONSE:
    case CommandType.DATA_RESPONSE:
    case CommandType.DATA_ARRAY_RESPONSE:
    case CommandType.INTEGER_RESPONSE:
      return { kind: 'response', correlationId: input.int(), exception: null }
    case CommandType.EXCEPTION_RESPONSE:
      return { kind: 'response', correlationId: input.int(), exception: readException(input) }
    case CommandType.KEEP_ALIVE_INFO:
      return { kind: 'keepAlive', commandId, responseRequired }
    case CommandType.PRODUCER_ACK:
      return { kind: 'producerAck', size: readProducerAck(input) }
    case CommandType.CONNECTION_ERROR:
      return { kind: 'connectionError', exception: readException(input) }
    case CommandType.CONNECTION_CONTROL: {
      const [close, exit] = [input.boolean(), input.boolean()]
      // The addresses that a broker recommends are not used: the configuration names the brokers to trust.
      return close || exit ? { kind: 'close' } : { kind: 'other', type }
    }
    case CommandType.SHUTDOWN_INFO:
      return { kind: 'close' }
    default:
      return { kind: 'other', type }
  }
}

/** Without stack traces, as negotiated, it ends after the message. */
function readException(input: DataInput): BrokerException {
  if (!input.boolean()) return UNKNOWN_EXCEPTION
  const className = printable(input.string() ?? UNKNOWN_EXCEPTION.className)
  return { className, message: printable(input.string() ?? '') }
}

function readProducerAck(input: DataInput): number {
  if (input.boolean()) {
    input.byte()
    input.string()
    input.long()
    input.long()
  }
  return Math.max(0, input.int())
}

function printable(text: string): string {
  return text.replace(/[\0-\x1f\x7f]+/g, ' ').slice(0, MAX_EXCEPTION_LENGTH)
}
