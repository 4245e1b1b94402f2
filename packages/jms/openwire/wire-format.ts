import { CommandType } from './command-types.ts'
import type { DataInput } from './data-input.ts'
import { DataInput as Input } from './data-input.ts'
import { DataOutput } from './data-output.ts'
import { ProtocolError } from './protocol-error.ts'

const MAGIC = Buffer.from('ActiveMQ', 'latin1')

/** The newest version that is spoken, that of ActiveMQ 5.13 and later. */
const NEWEST_VERSION = 12
/** The oldest version that is spoken, that of ActiveMQ 5.8. */
const OLDEST_VERSION = 9

const MAX_PROPERTIES = 256

/** Structures in a cache, that of ActiveMQ's clients. */
const CACHE_SIZE = 1024
/** Structures that a producer caches. */
const MIN_CACHE_SIZE = 3

/** Types of values in a marshalled map. */
const Primitive = {
  NULL: 0,
  BOOLEAN: 1,
  BYTE: 2,
  CHAR: 3,
  SHORT: 4,
  INTEGER: 5,
  LONG: 6,
  DOUBLE: 7,
  FLOAT: 8,
  STRING: 9,
  BYTE_ARRAY: 10,
  BIG_STRING: 13,
} as const

/** The first command of either side. */
export interface WireFormatInfo {
  readonly version: number
  /** Null where the peer does not name one. */
  readonly maxInactivityDuration: number | null
  /** Of the frames that the peer reads; null for no limit. */
  readonly maxFrameSize: number | null
  /** Whether the peer caches structures that are sent repeatedly, so that later ones can refer to them. */
  readonly hasCache: boolean
}

/** Negotiated wire format. */
export interface Negotiated {
  readonly version: number
  /** Milliseconds without a command after which either side closes the connection; 0 for never. */
  readonly maxInactivityDuration: number
  readonly maxFrameSize: number
  readonly hasCache: boolean
}

/**
 * Our first frame. Without tight encoding the reader needs no table of bits; the larger frames do not matter to a producer, which
 * receives little. Caches make the frames of messages a third smaller; of the commands that a producer reads, none has a cached
 * structure before the fields that it needs. A broker takes what both sides offer.
 */
export function encodeWireFormatInfo(maxInactivityDuration: number, host: string): Buffer {
  const properties = new DataOutput()
  const booleans = {
    TightEncodingEnabled: false,
    CacheEnabled: true,
    SizePrefixDisabled: false,
    StackTraceEnabled: false,
    TcpNoDelayEnabled: true,
  }
  const longs = {
    MaxInactivityDuration: BigInt(maxInactivityDuration),
    MaxInactivityDurationInitalDelay: BigInt(initialDelayOf(maxInactivityDuration)),
    // Of the frames that we read; the broker would apply a smaller one to those that it reads, too.
    MaxFrameSize: 2n ** 63n - 1n,
  }
  properties.int(Object.keys(booleans).length + Object.keys(longs).length + 2)
  for (const [name, value] of Object.entries(booleans)) {
    properties.utf(name)
    properties.byte(Primitive.BOOLEAN)
    properties.boolean(value)
  }
  for (const [name, value] of Object.entries(longs)) {
    properties.utf(name)
    properties.byte(Primitive.LONG)
    properties.bigLong(value)
  }
  properties.utf('CacheSize')
  properties.byte(Primitive.INTEGER)
  properties.int(CACHE_SIZE)
  properties.utf('Host')
  properties.byte(Primitive.STRING)
  properties.utf(host)
  const marshalled = properties.take()

  const output = new DataOutput()
  output.int(0)
  output.byte(CommandType.WIRE_FORMAT_INFO)
  output.bytes(MAGIC)
  output.int(NEWEST_VERSION)
  output.boolean(true)
  output.int(marshalled.length)
  output.bytes(marshalled)
  output.intAt(0, output.length - 4)
  return output.take()
}

/** Reads the peer's first command after its type. */
export function decodeWireFormatInfo(input: DataInput): WireFormatInfo {
  if (!input.bytes(MAGIC.length).equals(MAGIC)) throw new ProtocolError('the first frame is not that of OpenWire')
  const version = input.int()
  const marshalled = input.byteSequence()
  const properties = marshalled === null ? new Map() : readProperties(new Input(marshalled))
  return {
    version,
    maxInactivityDuration: numberOf(properties.get('MaxInactivityDuration')),
    maxFrameSize: numberOf(properties.get('MaxFrameSize')),
    hasCache: properties.get('CacheEnabled') === true && isCacheSize(numberOf(properties.get('CacheSize'))),
  }
}

/** Milliseconds until a broker begins to send keep-alives: the maximum of both offers. */
export function initialDelayOf(maxInactivityDuration: number): number {
  return Math.min(10_000, maxInactivityDuration)
}

/** Throws ProtocolError where the two sides have no version in common. */
export function negotiate(peer: WireFormatInfo, maxInactivityDuration: number): Negotiated {
  if (peer.version < OLDEST_VERSION) {
    throw new ProtocolError(
      `the broker speaks OpenWire up to version ${peer.version}; at least version ${OLDEST_VERSION} (ActiveMQ 5.8) is needed`,
    )
  }
  const { maxInactivityDuration: theirs, maxFrameSize } = peer
  return {
    version: Math.min(peer.version, NEWEST_VERSION),
    maxInactivityDuration: Math.max(0, Math.min(maxInactivityDuration, theirs ?? 0)),
    maxFrameSize: maxFrameSize === null || maxFrameSize <= 0 ? Number.POSITIVE_INFINITY : maxFrameSize,
    hasCache: peer.hasCache,
  }
}

/** Zero and absent stand for the largest size. */
function isCacheSize(size: number | null): boolean {
  return size === null || size === 0 || size >= MIN_CACHE_SIZE
}

function readProperties(input: DataInput): Map<string, unknown> {
  const count = input.int()
  if (count > MAX_PROPERTIES) throw new ProtocolError(`${count} properties of the wire format`)
  const properties = new Map<string, unknown>()
  for (let index = 0; index < count; index++) properties.set(input.utf(), readPrimitive(input))
  return properties
}

function readPrimitive(input: DataInput): unknown {
  const type = input.byte()
  switch (type) {
    case Primitive.NULL:
      return null
    case Primitive.BOOLEAN:
      return input.boolean()
    case Primitive.BYTE:
      return input.byte()
    case Primitive.CHAR:
    case Primitive.SHORT:
      return input.short()
    case Primitive.INTEGER:
      return input.int()
    case Primitive.LONG:
      return Number(input.long())
    case Primitive.FLOAT:
      return input.bytes(4)
    case Primitive.DOUBLE:
      return input.bytes(8)
    case Primitive.STRING:
      return input.utf()
    case Primitive.BYTE_ARRAY:
    case Primitive.BIG_STRING:
      return input.bytes(input.int())
    default:
      throw new ProtocolError(`type ${type} in the properties of the wire format`)
  }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
