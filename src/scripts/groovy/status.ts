import { STATUS_CODES } from 'node:http'
import {
  type ClassInfo,
  classes,
  EnumValue,
  exceptions,
  GroovyObject,
  ObjectArray,
  type Value,
} from '@identity-gateway/groovy'
import { reasonPhrase, statusFamily } from '#http'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertValue } from './host-values.ts'

const StatusClass = gatewayClass('http.protocol.Status')
const FamilyClass = gatewayClass('http.protocol.Status$Family', { kind: 'enum', parent: classes.EnumClass })

const FAMILIES = ['INFORMATIONAL', 'SUCCESSFUL', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR', 'UNKNOWN'] as const
const families = new Map(FAMILIES.map((name, at) => [name, new EnumValue(FamilyClass, name, at)]))

/** Constants whose name is not made from the usual reason phrase. */
const OTHER_NAMES: Readonly<Record<string, number>> = { NON_AUTHORITATIVE_INFO: 203, UNUSED: 306, TEAPOT: 418 }

/** A status; equal if the codes are. */
export class StatusValue extends GroovyObject {
  readonly code: number
  readonly reason: string

  constructor(code: number, reason: string) {
    super()
    this.code = code
    this.reason = reason
  }

  /** The constant of a known code, whatever the reason; another code is a new object. Scripts compare with `===`. */
  static of(code: number, reason = 'unknown'): StatusValue {
    const known = knownStatuses.get(code)
    if (known !== undefined) return known
    if (code < 100 || code > 999) throw exceptions.illegalArgument(`a status is from 100 to 999, not ${code}`)
    return new StatusValue(code, reason)
  }

  get klass(): ClassInfo {
    return StatusClass
  }

  override equalityKey(): string {
    return String(this.code)
  }
}

const knownStatuses: ReadonlyMap<number, StatusValue> = new Map(
  [...Object.keys(STATUS_CODES), ...Object.values(OTHER_NAMES)]
    .map(Number)
    .map((code) => [code, new StatusValue(code, reasonPhrase(code) || 'Unused')]),
)

convertValue(StatusValue, ({ code }) => code)

const isOf = (family: string) => (self: StatusValue) => statusFamily(self.code) === family

/** `I'm a Teapot` is IM_A_TEAPOT. */
function statusName(code: number): string {
  return reasonPhrase(code)
    .toUpperCase()
    .replaceAll("'", '')
    .replaceAll(/[^A-Z0-9]+/g, '_')
}

const constants: [string, Value][] = [
  ...Object.keys(STATUS_CODES).map((code): [string, number] => [statusName(Number(code)), Number(code)]),
  ...Object.entries(OTHER_NAMES),
].map(([name, code]) => [`static ${name}: Status`, StatusValue.of(code)])

extendWithHost(StatusClass, {
  ...Object.fromEntries(constants),
  'static valueOf(int code): Status': (code: number) => StatusValue.of(code),
  'static valueOf(int code, String reason): Status': (code: number, reason: string) => StatusValue.of(code, reason),
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
  'static valueOf(String name): Family': (name: string) => {
    const found = [...families.values()].find(({ constant }) => constant === name)
    if (found === undefined) throw exceptions.illegalArgument(`No enum constant ${FamilyClass.name}.${name}`)
    return found
  },
})
