import type { JmsMessage } from '../producer.ts'
import type { Destination } from '../producer-plan.ts'
import { CommandType } from './command-types.ts'
import { DataOutput } from './data-output.ts'
import { modifiedUtf8Length } from './modified-utf8.ts'
import {
  type ClientIds,
  cacheable,
  nested,
  writeDestination,
  writeProducerId,
  writeTransactionId,
} from './outbound-command.ts'

/** Fields of the frame of a message that differ from one to the next. */
interface MessageFields {
  readonly commandId: number
  readonly responseRequired: boolean
  /** Number of the transaction; 0 for a message without. */
  readonly transaction: number
  readonly sequence: number
  readonly timestamp: number
}

/** Indexes of structures in the cache of the broker. */
const CacheIndex = { PRODUCER: 0, DESTINATION: 1, TRANSACTION: 2 } as const

const SIZE_BYTES = 4
/** Positions in the constant part before the correlation id, from its beginning and from its end. */
const COMMAND_ID = 1
const RESPONSE_REQUIRED = 5
/** Sequence, brokerSequenceId, originalTransactionId, groupID, groupSequence, presence of the correlation id. */
const SEQUENCE_FROM_END = { cached: 8 + 8 + 4 + 1 + 4 + 1, uncached: 8 + 8 + 1 + 1 + 4 + 1 } as const
/** Position in the constant part after it. */
const TIMESTAMP = 11
/** Of JMS messages (`javax.jms.Message.DEFAULT_PRIORITY`). */
const DEFAULT_PRIORITY = 4
/** Sizes of the frame and of its content, and lengths of correlation id and text. */
const LENGTH_FIELDS = 4 + 2 + 4 + 4
/** Of modified UTF-8 for two bytes of UTF-8: the longest sequences of four become six. */
const LARGEST_GROWTH = 1.5

/** Writes the text messages of one producer on one connection; their constant parts are encoded once. */
export class TextMessageEncoder {
  readonly #version: number
  readonly #ids: ClientIds
  readonly #destination: Destination
  readonly #sequenceFromEnd: number
  /** Before the correlation id, of a message without transaction and of one in the transaction `#transaction`. */
  readonly #start: Buffer
  #startInTransaction: Buffer
  #transaction = 0
  /** Whether the broker has cached producer and destination. */
  #isCached: boolean
  readonly #afterCorrelationId: Buffer
  readonly #afterContent: Buffer
  readonly #fixedSize: number

  constructor(version: number, ids: ClientIds, destination: Destination, persistent: boolean) {
    this.#version = version
    this.#ids = ids
    this.#destination = destination
    this.#isCached = !ids.hasCache
    this.#sequenceFromEnd = ids.hasCache ? SEQUENCE_FROM_END.cached : SEQUENCE_FROM_END.uncached
    this.#start = this.#encodeStart(0, { hasCached: true, isInTransaction: false })
    this.#startInTransaction = this.#start
    this.#afterCorrelationId = bytesOf((output) => {
      output.boolean(persistent)
      output.long(0) // expiration
      output.byte(DEFAULT_PRIORITY)
      output.boolean(false) // replyTo
      output.long(0) // timestamp
      output.string(null) // type
      output.boolean(true) // content
    })
    this.#afterContent = bytesOf((output) => {
      output.boolean(false) // marshalledProperties
      output.boolean(false) // dataStructure
      cacheable(output, ids)
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
    const longestStart = this.#encodeStart(1, { hasCached: false, isInTransaction: false })
    this.#fixedSize = longestStart.length + this.#afterCorrelationId.length + this.#afterContent.length + LENGTH_FIELDS
  }

  /** Whether the frame of a message would be longer than a limit. */
  exceeds(maxFrameSize: number, message: JmsMessage): boolean {
    const { encoded } = message
    if (encoded !== undefined) {
      const bytes = encoded.end - encoded.start + encoded.idEnd - encoded.idStart
      if (this.#fixedSize + bytes * LARGEST_GROWTH <= maxFrameSize) return false
    }
    return this.#fixedSize + modifiedUtf8Length(message.id) + modifiedUtf8Length(message.text) > maxFrameSize
  }

  /** Appends the frame of a message and returns its size. */
  write(output: DataOutput, message: JmsMessage, fields: MessageFields): number {
    const frame = output.length
    const start = this.#startOf(fields.transaction)
    output.int(0)
    output.bytes(start)
    const beginning = frame + SIZE_BYTES
    output.intAt(beginning + COMMAND_ID, fields.commandId)
    output.byteAt(beginning + RESPONSE_REQUIRED, fields.responseRequired ? 1 : 0)
    output.longAt(output.length - this.#sequenceFromEnd, fields.sequence)
    const { encoded } = message
    // Sequences of ASCII are the same in UTF-8 and in modified UTF-8.
    const bytes = encoded?.isAscii === true ? encoded : null
    if (bytes === null) output.utf(message.id)
    else {
      output.short(bytes.idEnd - bytes.idStart)
      output.copy(bytes.bytes, bytes.idStart, bytes.idEnd)
    }
    output.bytes(this.#afterCorrelationId)
    output.longAt(output.length - this.#afterCorrelationId.length + TIMESTAMP, fields.timestamp)
    // A byte sequence that contains a length of four bytes and the text.
    const content = output.length
    output.int(0)
    if (bytes === null) output.longUtf(message.text)
    else {
      output.int(bytes.end - bytes.start)
      output.copy(bytes.bytes, bytes.start, bytes.end)
    }
    output.intAt(content, output.length - content - SIZE_BYTES)
    output.bytes(this.#afterContent)
    const size = output.length - frame - SIZE_BYTES
    output.intAt(frame, size)
    return size
  }

  /** The part before the correlation id. The first message of a connection, and of a transaction, adds structures to the cache. */
  #startOf(transaction: number): Buffer {
    const isInTransaction = transaction === 0 || transaction === this.#transaction
    if (this.#isCached && isInTransaction) return transaction === 0 ? this.#start : this.#startInTransaction
    const start = this.#encodeStart(transaction, { hasCached: this.#isCached, isInTransaction })
    this.#isCached = true
    if (!isInTransaction) {
      this.#transaction = transaction
      this.#startInTransaction = this.#encodeStart(transaction, { hasCached: true, isInTransaction: true })
    }
    return start
  }

  #encodeStart(transaction: number, { hasCached, isInTransaction }: StartState): Buffer {
    const ids = this.#ids
    const cached = ids.hasCache && hasCached
    return bytesOf((output) => {
      output.byte(CommandType.TEXT_MESSAGE)
      output.int(0) // commandId
      output.boolean(false) // responseRequired
      if (cached) reference(output, CacheIndex.PRODUCER)
      else writeProducerId(output, ids, CacheIndex.PRODUCER)
      if (cached) reference(output, CacheIndex.DESTINATION)
      else writeDestination(output, ids, this.#destination, CacheIndex.DESTINATION)
      if (transaction === 0) absent(output, ids)
      else if (ids.hasCache && isInTransaction) reference(output, CacheIndex.TRANSACTION)
      else writeTransactionId(output, ids, transaction, CacheIndex.TRANSACTION)
      absent(output, ids) // originalDestination
      nested(output, CommandType.MESSAGE_ID)
      if (this.#version >= 10) output.string(null) // textView
      if (ids.hasCache) reference(output, CacheIndex.PRODUCER)
      else writeProducerId(output, ids)
      output.long(0) // sequence
      output.long(0) // brokerSequenceId
      absent(output, ids) // originalTransactionId
      output.string(null) // groupID
      output.int(0) // groupSequence
      output.boolean(true) // correlationId
    })
  }
}

/** Structures that the broker has from earlier messages. */
interface StartState {
  /** Producer and destination. */
  readonly hasCached: boolean
  /** The transaction. */
  readonly isInTransaction: boolean
}

/** A structure that the broker has in its cache. */
function reference(output: DataOutput, index: number): void {
  output.boolean(false)
  output.short(index)
}

/** A field without a structure, which a cache could hold. */
function absent(output: DataOutput, ids: ClientIds): void {
  cacheable(output, ids)
  output.boolean(false)
}

function bytesOf(write: (output: DataOutput) => void): Buffer {
  const output = new DataOutput()
  write(output)
  return output.take()
}
