import type { Destination } from '../producer-plan.ts'
import { CommandType } from './command-types.ts'
import { DataOutput } from './data-output.ts'
import { modifiedUtf8Length } from './modified-utf8.ts'

/** Ids of one connection with its only session and producer. */
export interface ClientIds {
  readonly connectionId: string
  readonly clientId: string
}

const SESSION = 1
const PRODUCER = 1
const SIZE_BYTES = 4

/** Writes a frame: size, type, command id, whether a response is required, then the fields of the command. */
function frame(
  output: DataOutput,
  type: number,
  commandId: number,
  responseRequired: boolean,
  fields: (output: DataOutput) => void = () => {},
): void {
  const start = output.length
  output.int(0)
  output.byte(type)
  output.int(commandId)
  output.boolean(responseRequired)
  fields(output)
  output.intAt(start, output.length - start - SIZE_BYTES)
}

function encoded(...command: Parameters<typeof frame> extends [DataOutput, ...infer Rest] ? Rest : never): Buffer {
  const output = new DataOutput()
  frame(output, ...command)
  return output.take()
}

/** A structure inside of a command: presence, type, fields. */
function nested(output: DataOutput, type: number): void {
  output.boolean(true)
  output.byte(type)
}

function writeConnectionId(output: DataOutput, { connectionId }: ClientIds): void {
  nested(output, CommandType.CONNECTION_ID)
  output.string(connectionId)
}

function writeProducerId(output: DataOutput, { connectionId }: ClientIds): void {
  nested(output, CommandType.PRODUCER_ID)
  output.string(connectionId)
  output.long(PRODUCER)
  output.long(SESSION)
}

function writeDestination(output: DataOutput, { kind, name }: Destination): void {
  nested(output, kind === 'queue' ? CommandType.QUEUE : CommandType.TOPIC)
  output.string(name)
}

/** Opens the connection at the broker, as a user. */
export function encodeConnectionInfo(
  commandId: number,
  ids: ClientIds,
  credentials: { readonly userName: string | null; readonly password: string | null },
): Buffer {
  return encoded(CommandType.CONNECTION_INFO, commandId, true, (output) => {
    writeConnectionId(output, ids)
    output.string(ids.clientId)
    output.string(credentials.password)
    output.string(credentials.userName)
    output.boolean(false) // brokerPath
    output.boolean(false) // brokerMasterConnector
    output.boolean(true) // manageable
    output.boolean(true) // clientMaster
    output.boolean(false) // faultTolerant
    output.boolean(false) // failoverReconnect
    output.string(null) // clientIp
  })
}

export function encodeSessionInfo(commandId: number, { connectionId }: ClientIds): Buffer {
  return encoded(CommandType.SESSION_INFO, commandId, false, (output) => {
    nested(output, CommandType.SESSION_ID)
    output.string(connectionId)
    output.long(SESSION)
  })
}

/** Opens the producer; with a window the broker acknowledges bytes of messages that need no response. */
export function encodeProducerInfo(
  commandId: number,
  ids: ClientIds,
  destination: Destination,
  windowSize: number,
): Buffer {
  return encoded(CommandType.PRODUCER_INFO, commandId, true, (output) => {
    writeProducerId(output, ids)
    writeDestination(output, destination)
    output.boolean(false) // brokerPath
    output.boolean(false) // dispatchAsync
    output.int(windowSize)
  })
}

export function encodeKeepAliveInfo(commandId: number): Buffer {
  return encoded(CommandType.KEEP_ALIVE_INFO, commandId, false)
}

/** Closes the connection with its session and producer at the broker. */
export function encodeRemoveConnection(commandId: number, ids: ClientIds): Buffer {
  return encoded(CommandType.REMOVE_INFO, commandId, true, (output) => {
    writeConnectionId(output, ids)
    output.long(-1) // lastDeliveredSequenceId
  })
}

export function encodeShutdownInfo(commandId: number): Buffer {
  return encoded(CommandType.SHUTDOWN_INFO, commandId, false)
}

function writeTransactionId(output: DataOutput, ids: ClientIds, transaction: number): void {
  nested(output, CommandType.LOCAL_TRANSACTION_ID)
  output.long(transaction)
  writeConnectionId(output, ids)
}

/** Steps of a transaction of one connection. */
const TransactionStep = { BEGIN: 0, COMMIT_ONE_PHASE: 2 } as const

/** Begins a transaction, or commits it and requires a response. */
export function encodeTransaction(
  step: keyof typeof TransactionStep,
  commandId: number,
  ids: ClientIds,
  transaction: number,
): Buffer {
  return encoded(CommandType.TRANSACTION_INFO, commandId, step !== 'BEGIN', (output) => {
    writeConnectionId(output, ids)
    writeTransactionId(output, ids, transaction)
    output.byte(TransactionStep[step])
  })
}

/** Fields of a text message that differ from one to the next. */
interface TextMessage {
  readonly commandId: number
  readonly responseRequired: boolean
  /** Number of the transaction; 0 for a message without. */
  readonly transaction: number
  readonly sequence: number
  readonly correlationId: string
  readonly timestamp: number
  readonly text: string
}

/** Writes the text messages of one producer; their constant parts are encoded once. */
export class TextMessageEncoder {
  readonly #ids: ClientIds
  readonly #beforeTransaction: Buffer
  readonly #beforeSequence: Buffer
  readonly #afterSequence: Buffer
  readonly #afterCorrelationId: Buffer
  readonly #afterContent: Buffer
  readonly #transactionIdSize: number
  /** The transaction of the last message with one. */
  #transaction: { readonly number: number; readonly id: Buffer } | null = null

  constructor(version: number, ids: ClientIds, destination: Destination, persistent: boolean) {
    this.#ids = ids
    this.#beforeTransaction = bytesOf((output) => {
      writeProducerId(output, ids)
      writeDestination(output, destination)
    })
    this.#beforeSequence = bytesOf((output) => {
      output.boolean(false) // originalDestination
      nested(output, CommandType.MESSAGE_ID)
      if (version >= 10) output.string(null) // textView
      writeProducerId(output, ids)
    })
    this.#transactionIdSize = bytesOf((output) => writeTransactionId(output, ids, 1)).length
    this.#afterSequence = bytesOf((output) => {
      output.long(0) // brokerSequenceId
      output.boolean(false) // originalTransactionId
      output.string(null) // groupID
      output.int(0) // groupSequence
    })
    this.#afterCorrelationId = bytesOf((output) => {
      output.boolean(persistent)
      output.long(0) // expiration
      output.byte(DEFAULT_PRIORITY)
      output.boolean(false) // replyTo
    })
    this.#afterContent = bytesOf((output) => {
      output.boolean(false) // marshalledProperties
      output.boolean(false) // dataStructure
      output.boolean(false) // targetConsumerId
      output.boolean(false) // compressed
      output.int(0) // redeliveryCounter
      output.boolean(false) // brokerPath
      output.long(0) // arrival
      output.string(null) // userID
      output.boolean(false) // recievedByDFBridge
      output.boolean(false) // droppable
      output.boolean(false) // cluster
      output.long(0) // brokerInTime
      output.long(0) // brokerOutTime
      if (version >= 10) output.boolean(false) // JMSXGroupFirstForConsumer
    })
  }

  /** Whether the frame of a message would be longer than a limit. */
  exceeds(maxFrameSize: number, correlationId: string, text: string): boolean {
    const fixed =
      this.#beforeTransaction.length +
      this.#beforeSequence.length +
      this.#afterSequence.length +
      this.#afterContent.length +
      this.#transactionIdSize +
      VARIABLE_FIELDS
    // No unit takes more than three bytes.
    if (fixed + 3 * (correlationId.length + text.length) <= maxFrameSize) return false
    return fixed + modifiedUtf8Length(correlationId) + modifiedUtf8Length(text) > maxFrameSize
  }

  /** Appends the frame of a message and returns its size. */
  write(output: DataOutput, message: TextMessage): number {
    const start = output.length
    frame(output, CommandType.TEXT_MESSAGE, message.commandId, message.responseRequired, () => {
      output.bytes(this.#beforeTransaction)
      if (message.transaction === 0) output.boolean(false)
      else output.bytes(this.#transactionId(message.transaction))
      output.bytes(this.#beforeSequence)
      output.long(message.sequence)
      output.bytes(this.#afterSequence)
      output.string(message.correlationId)
      output.bytes(this.#afterCorrelationId)
      output.long(message.timestamp)
      output.string(null) // type
      writeContent(output, message.text)
      output.bytes(this.#afterContent)
    })
    return output.length - start - SIZE_BYTES
  }

  #transactionId(number: number): Buffer {
    if (this.#transaction?.number !== number) {
      this.#transaction = { number, id: bytesOf((output) => writeTransactionId(output, this.#ids, number)) }
    }
    return this.#transaction.id
  }
}

/** Bytes of the fields between the constant parts, without text and correlation id. */
const VARIABLE_FIELDS = 1 + 4 + 1 + 8 + 3 + 1 + 8 + 1 + 1 + 8 + 1 + 1 + 4 + 4
/** Of JMS messages (`javax.jms.Message.DEFAULT_PRIORITY`). */
const DEFAULT_PRIORITY = 4

/** A byte sequence that contains a length of four bytes and the text. */
function writeContent(output: DataOutput, text: string): void {
  output.boolean(true)
  const start = output.length
  output.int(0)
  output.longUtf(text)
  output.intAt(start, output.length - start - SIZE_BYTES)
}

function bytesOf(write: (output: DataOutput) => void): Buffer {
  const output = new DataOutput()
  write(output)
  return output.take()
}
