import { STATUS_CODES } from 'node:http'
import { type ClassInfo, classes, EnumValue, exceptions, GroovyObject, ObjectArray, type Value } from '#groovy'
import { reasonPhrase, statusFamily } from '#http'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertValue } from './host-values.ts'

const StatusClass = gatewayClass('http.protocol.Status')
const FamilyClass = gatewayClass('http.protocol.Status$Family', { kind: 'enum', parent: classes.EnumClass })

const FAMILIES = ['INFORMATIONAL', 'SUCCESSFUL', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR', 'UNKNOWN'] as const
const families = new Map(FAMILIES.map((name, at) => [name, new EnumValue(FamilyClass, name, at)]))

/** A status; equal if the codes are. */
export class StatusValue extends GroovyObject {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string) {
    super()
    this.code = code
    this.reason = reason
  }

  /** The status of a code with its usual reason phrase. */
  static of(code: number): StatusValue {
    if (code < 100 || code > 999) throw exceptions.illegalArgument(`a status is from 100 to 999, not ${code}`)
    return new StatusValue(code, reasonPhrase(code) || 'unknown')
  }

  get klass(): ClassInfo {
    return StatusClass
  }

  override equalityKey(): string {
    return String(this.code)
  }
}

convertValue(StatusValue, ({ code }) => code)

const isOf = (family: string) => (self: StatusValue) => statusFamily(self.code) === family

/** `I'm a Teapot` is IM_A_TEAPOT. */
function statusName(code: number): string {
  return reasonPhrase(code)
    .toUpperCase()
    .replaceAll("'", '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
}

const constants: [string, Value][] = Object.keys(STATUS_CODES).map((code) => [
  `static ${statusName(Number(code))}: Status`,
  StatusValue.of(Number(code)),
])

extendWithHost(StatusClass, {
  ...Object.fromEntries(constants),
  'static valueOf(int code): Status': (code: number) => StatusValue.of(code),
  'static valueOf(int code, String reason): Status': (code: number, reason: string) =>
    new StatusValue(StatusValue.of(code).code, reason),
  'getCode(): int': (self: StatusValue) => self.code,
  'getReasonPhrase(): String': (self: StatusValue) => self.reason,
  'getFamily(): Family': (self: StatusValue) => families.get(statusFamily(self.code)) ?? null,
  'isInformational(): boolean': isOf('INFORMATIONAL'),
  'isSuccessful(): boolean': isOf('SUCCESSFUL'),
  'isRedirection(): boolean': isOf('REDIRECTION'),
  'isClientError(): boolean': isOf('CLIENT_ERROR'),
  'isServerError(): boolean': isOf('SERVER_ERROR'),
  'toString(): String': (self: StatusValue) => `[Status: ${self.code} ${self.reason}]`,
})

extendWithHost(FamilyClass, {
  ...Object.fromEntries([...families].map(([name, value]) => [`static ${name}: Family`, value])),
  'static values(): Family[]': () => new ObjectArray(FamilyClass, [...families.values()]),
  'static valueOf(int code): Family': (code: number) => families.get(statusFamily(code)) ?? null,
})
