import type { Destination } from '../producer-plan.ts'
import { CommandType } from './command-types.ts'
import { DataOutput } from './data-output.ts'

/** Ids of one connection with its only session and producer. */
export interface ClientIds {
  readonly connectionId: string
  readonly clientId: string
  /** Whether the broker caches structures. */
  readonly hasCache: boolean
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
export function nested(output: DataOutput, type: number): void {
  output.boolean(true)
  output.byte(type)
}

/** Index of a structure that is not added to the cache. */
const NOT_CACHED = -1

/** Begins a structure that a cache may hold: the structure, or its absence, follows. */
export function cacheable(output: DataOutput, { hasCache }: ClientIds, index = NOT_CACHED): void {
  if (!hasCache) return
  output.boolean(true)
  output.short(index)
}

function writeConnectionId(output: DataOutput, ids: ClientIds): void {
  cacheable(output, ids)
  nested(output, CommandType.CONNECTION_ID)
  output.string(ids.connectionId)
}

export function writeProducerId(output: DataOutput, ids: ClientIds, index = NOT_CACHED): void {
  cacheable(output, ids, index)
  nested(output, CommandType.PRODUCER_ID)
  output.string(ids.connectionId)
  output.long(PRODUCER)
  output.long(SESSION)
}

export function writeDestination(
  output: DataOutput,
  ids: ClientIds,
  destination: Destination,
  index = NOT_CACHED,
): void {
  cacheable(output, ids, index)
  nested(output, destination.kind === 'queue' ? CommandType.QUEUE : CommandType.TOPIC)
  output.string(destination.name)
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

export function encodeSessionInfo(commandId: number, ids: ClientIds): Buffer {
  return encoded(CommandType.SESSION_INFO, commandId, false, (output) => {
    cacheable(output, ids)
    nested(output, CommandType.SESSION_ID)
    output.string(ids.connectionId)
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
    writeDestination(output, ids, destination)
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

export function writeTransactionId(output: DataOutput, ids: ClientIds, transaction: number, index = NOT_CACHED): void {
  cacheable(output, ids, index)
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
