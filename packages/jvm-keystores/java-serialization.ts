import type { ByteReader } from './byte-reader.ts'
import { corrupt, unsupported } from './keystore-error.ts'
import { checkLimit, limits } from './limits.ts'

const STREAM_HEADER = 0xaced0005
const tags = {
  null: 0x70,
  reference: 0x71,
  classDescription: 0x72,
  object: 0x73,
  string: 0x74,
  array: 0x75,
  endOfData: 0x78,
  enumeration: 0x7e,
} as const
const FIRST_HANDLE = 0x7e0000
const SERIALIZABLE = 0x02
const SERIALIZABLE_ENUM = 0x12

/** The classes of a secret key in a JCEKS file. Others are rejected, and none of them runs code. */
const knownClasses: ReadonlySet<string> = new Set([
  'com.sun.crypto.provider.SealedObjectForKeyProtector',
  'javax.crypto.SealedObject',
  'javax.crypto.spec.SecretKeySpec',
  'java.security.KeyRep',
  'java.security.KeyRep$Type',
  'java.lang.Enum',
  '[B',
])

/** A deserialised object: its class, and its fields with those of its superclasses. */
export interface JavaObject {
  readonly className: string
  readonly fields: ReadonlyMap<string, JavaValue>
}

/** Value of a field: text, bytes, the name of an enum constant as text, or an object. */
type JavaValue = string | Buffer | JavaObject | null

interface ClassDescription {
  readonly className: string
  readonly flags: number
  readonly fields: readonly string[]
  readonly parent: ClassDescription | null
}

/** Reads one object of Java's serialisation protocol (version 5). */
export function readJavaObject(reader: ByteReader): JavaObject {
  if (reader.int('serialised object') !== STREAM_HEADER)
    throw corrupt('serialised object: not a Java serialisation stream')
  const value = new ObjectReader(reader).value(0)
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value))
    throw corrupt('serialised object: expected an object')
  return value
}

class ObjectReader {
  readonly #reader: ByteReader
  readonly #handles: unknown[] = []

  constructor(reader: ByteReader) {
    this.#reader = reader
  }

  value(depth: number): JavaValue {
    if (depth > 4) throw corrupt('serialised object: nested too deep')
    const tag = this.#reader.byte('serialised object')
    switch (tag) {
      case tags.null:
        return null
      case tags.reference:
        return this.#referencedValue()
      case tags.string:
        return this.#kept(this.#reader.text('serialised text'))
      case tags.array:
        return this.#bytes()
      case tags.object:
        return this.#object(depth)
      case tags.enumeration:
        return this.#constant()
      default:
        throw corrupt(`serialised object: tag 0x${tag.toString(16)} is not accepted`)
    }
  }

  #object(depth: number): JavaObject {
    const description = this.#classDescription()
    if (description === null || description.flags !== SERIALIZABLE || description.className === '[B') {
      throw corrupt('serialised object: its class is not that of an object')
    }
    const fields = new Map<string, JavaValue>()
    const object = this.#kept({ className: description.className, fields })
    const lineage: ClassDescription[] = []
    for (let link: ClassDescription | null = description; link !== null; link = link.parent) lineage.unshift(link)
    for (const name of lineage.flatMap((link) => link.fields)) fields.set(name, this.value(depth + 1))
    return object
  }

  #bytes(): Buffer {
    if (this.#classDescription()?.className !== '[B') throw corrupt('serialised object: an array that is not of bytes')
    const handle = this.#handles.push(null) - 1
    const length = this.#reader.int('serialised bytes')
    checkLimit('serialised bytes', length, limits.secretBytes)
    const bytes = this.#reader.take(length, 'serialised bytes')
    this.#handles[handle] = bytes
    return bytes
  }

  #constant(): string {
    if (this.#classDescription()?.flags !== SERIALIZABLE_ENUM)
      throw corrupt('serialised object: an enum of no enum class')
    const handle = this.#handles.push(null) - 1
    const name = this.#string()
    this.#handles[handle] = name
    return name
  }

  #classDescription(): ClassDescription | null {
    const tag = this.#reader.byte('class description')
    if (tag === tags.null) return null
    if (tag === tags.reference) return this.#referencedClass()
    if (tag !== tags.classDescription) throw corrupt(`class description: tag 0x${tag.toString(16)} is not accepted`)
    const className = this.#reader.text('class name')
    if (!knownClasses.has(className)) throw unsupported('a serialised Java class that is no part of a secret key')
    this.#reader.long('class version')
    const handle = this.#handles.push(null) - 1
    const flags = this.#reader.byte('class flags')
    if (flags !== SERIALIZABLE && flags !== SERIALIZABLE_ENUM) throw corrupt(`class flags: 0x${flags.toString(16)}`)
    const count = this.#reader.short('class fields')
    if (count > 8) throw corrupt(`class fields: ${count}`)
    const fields = Array.from({ length: count }, () => this.#field())
    if (this.#reader.byte('class annotation') !== tags.endOfData) throw corrupt('class annotation: none is accepted')
    if (this.#handles.length > 64) throw corrupt('serialised object: too many parts')
    const description = { className, flags, fields, parent: this.#classDescription() }
    this.#handles[handle] = new KnownClass(description)
    return description
  }

  /** Only fields with objects and arrays occur; each is followed by the name of its class, which is not used. */
  #field(): string {
    const type = String.fromCharCode(this.#reader.byte('field type'))
    const name = this.#reader.text('field name')
    if (type !== 'L' && type !== '[') throw corrupt('field type: only objects and arrays are accepted')
    this.#string()
    return name
  }

  #string(): string {
    const value = this.value(4)
    if (typeof value !== 'string') throw corrupt('serialised object: expected text')
    return value
  }

  #referencedValue(): JavaValue {
    const value = this.#referenced()
    if (typeof value === 'string' || Buffer.isBuffer(value)) return value
    throw corrupt('serialised object: a reference to something else than text or bytes')
  }

  #referencedClass(): ClassDescription {
    const value = this.#referenced()
    if (value instanceof KnownClass) return value.description
    throw corrupt('class description: a reference to something else')
  }

  #referenced(): unknown {
    return this.#handles[this.#reader.int('reference') - FIRST_HANDLE]
  }

  #kept<T>(value: T): T {
    this.#handles.push(value)
    return value
  }
}

/** Distinguishes class descriptions from values in the handle table. */
class KnownClass {
  readonly description: ClassDescription

  constructor(description: ClassDescription) {
    this.description = description
  }
}
